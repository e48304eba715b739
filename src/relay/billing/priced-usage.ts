import { addUsage, type Usage } from "../../canon/usage.ts"
import { type Cost, costOf, type Price } from "../../ledger/price.ts"
import type { SettledUsage } from "../priced-features/settle.ts"
import { cappedAt, type MaxUsage } from "./usage-bound.ts"

/** Usage counts, and whether the gateway itself counted them. */
export interface CountedUsage {
  readonly usage: Usage
  readonly estimated: boolean
  /** The number of calls with the same prompt that the usage includes. */
  readonly calls?: number
}

/** A priced usage that can be settled. */
export interface PricedUsage extends CountedUsage {
  readonly cost: Cost
  /** The settlement of billed features other than tokens, which the receipt contains. */
  readonly settled?: SettledUsage
  /** The excess, if the vendor reported more than the maximum usage of the request. */
  readonly beyond?: UnchargedExcess
}

/** The usage that a vendor reported, and the part of its cost that is not charged. */
export interface UnchargedExcess {
  readonly reported: PricedUsage
  /** The cost that is not charged, in nanocredits. */
  readonly amount: bigint
}

/**
 * Returns the usage that replaces the vendor's usage in the response: the charged usage, if the gateway counted it.
 * @param isCut whether the gateway may have ended the response, so that the caller did not receive the vendor's usage.
 */
export function ownCount({ usage, estimated }: PricedUsage, isCut = false): Usage | undefined {
  return estimated || isCut ? usage : undefined
}

/** Prices usage that consists of tokens. */
export function priceUsage(counted: CountedUsage, price: Price): PricedUsage {
  const usage = withRequests(counted, price)
  return { ...counted, usage, cost: costOf(usage, price, [], counted.calls) }
}

/**
 * Prices usage together with other billed features.
 * @param price the deployment's own price, which may include a price per request.
 */
export function priceSettled(settled: SettledUsage, price: Price, estimated: boolean): PricedUsage {
  const counted = withRequests(settled, price)
  const cost = costOf(counted, settled.price, settled.others, settled.calls)
  const usage = settled.others.reduce((sum, other) => addUsage(sum, other.usage), counted)
  return { usage, estimated, cost, settled }
}

/** Prices a reported usage, limited to the maximum of its request. */
export function boundedPrice(reported: PricedUsage, price: Price, max: MaxUsage): PricedUsage {
  const { settled, estimated, calls } = reported
  if (settled === undefined) {
    const usage = cappedAt(max.own, reported.usage)
    return beyondOf(reported, priceUsage({ usage, estimated, ...(calls && { calls }) }, price))
  }
  const seconds = settled.others.filter(({ model }) => model !== undefined)
  const repeats = settled.others.filter(({ model }) => model === undefined)
  const sum = repeats.reduce((total, { usage }) => addUsage(total, usage), settled.usage)
  const own = cappedAt(max.own, sum)
  const others = seconds.map((other) => ({ ...other, usage: cappedAt(max.second, other.usage) }))
  const held =
    own === sum
      ? { ...settled, others: [...repeats, ...others] }
      : { ...settled, usage: own, calls: Math.max(settled.calls, sum.requests), others }
  return beyondOf(reported, priceSettled(held, price, estimated))
}

/**
 * Adds the difference between the reported and the bounded cost as an excess. The gateway's own count may be too high,
 * so it never counts as an excess.
 */
function beyondOf(reported: PricedUsage, held: PricedUsage): PricedUsage {
  const amount = reported.cost.total - held.cost.total
  if (amount <= 0n || reported.estimated) return held
  return { ...held, beyond: { reported, amount } }
}

/** Adds the number of calls if calls have a price. Calls whose kind the provider reported are not counted again. */
export function withRequests(
  { usage, calls = 1 }: Pick<CountedUsage, "usage" | "calls">,
  price: Price,
): Usage {
  const reported = usage.mediumRequests + usage.lowRequests
  if (price.rates.requests === undefined) {
    const isPlain = reported + usage.requests === 0
    return isPlain ? usage : { ...usage, requests: 0, mediumRequests: 0, lowRequests: 0 }
  }
  return { ...usage, requests: Math.max(0, Math.max(calls, usage.requests) - reported) }
}
