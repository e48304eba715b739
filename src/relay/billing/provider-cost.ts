import { reportedAmount } from "../../accounting/maxima.ts"
import { isNoUsage, type Usage } from "../../canon/usage.ts"
import { divideUp } from "#contract/decimal.ts"
import { type Cost, costOf, type CostLine, type Price, UNIT_FACTOR } from "../../ledger/price.ts"
import { priceUsage, type PricedUsage, withRequests } from "./priced-usage.ts"

const MILLION = 1_000_000n
/** Characters per token of common text and JSON. */
export const CHARACTERS_OF_TOKEN = 4

/** Returns the cost of lines before the multiplier, in nanocredits. */
export function costOfLines(lines: readonly CostLine[]): bigint {
  let sum = 0n
  for (const { quantity, rate } of lines) sum += BigInt(quantity) * rate
  return reportedAmount(divideUp(sum, MILLION))
}

/**
 * Returns the operator's cost of a response in nanocredits, at most `MAX_REPORTED_AMOUNT`. It includes everything that
 * the vendor reported, at the models' own prices, without multipliers and without the rate card of a price group.
 * @param price the price of the charge.
 * @returns undefined if the lines of the charge add up to the same amount.
 */
export function providerCost(priced: PricedUsage, price: Price): bigint | undefined {
  const whole = priced.beyond?.reported ?? priced
  const others = whole.settled?.others ?? []
  const charged = whole.settled?.price ?? price
  const isListed = charged.listed === undefined && others.every((other) => !other.price.listed)
  // The rates of another model were scaled to the multiplier of the requested model.
  const isScaled = others.some((other) => other.price.multiplier !== charged.multiplier)
  if (isListed && !isScaled) return whole === priced ? undefined : costOfLines(whole.cost.lines)
  return reportedAmount(repriced(whole, charged).total)
}

/**
 * Returns the operator's cost of a failed call, from the usage that the vendor reported; undefined if it cost nothing.
 */
export function failedCallCost(
  usage: Usage | undefined,
  price: Price | undefined,
): bigint | undefined {
  if (usage === undefined || price === undefined || isNoUsage(usage)) return undefined
  const priced = priceUsage({ usage, estimated: false }, price)
  const cost = providerCost(priced, price) ?? costOfLines(priced.cost.lines)
  return cost === 0n ? undefined : cost
}

function repriced(priced: PricedUsage, charged: Price): Cost {
  const own = vendorPrice(charged)
  const { settled } = priced
  const others = settled?.others.map((other) => ({ ...other, price: vendorPrice(other.price) }))
  const counted = settled ?? priced
  return costOf(withRequests(counted, own), own, others, counted.calls)
}

function vendorPrice(price: Price): Price {
  return { ...(price.listed ?? price), multiplier: UNIT_FACTOR }
}
