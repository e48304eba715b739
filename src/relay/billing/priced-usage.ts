import { addUsage, type Usage } from "../../canon/usage.ts"
import { type Cost, costOf, type Price } from "../../ledger/price.ts"
import type { SettledUsage } from "../priced-features/settle.ts"
import { cappedAt, type MaxUsage } from "./usage-bound.ts"

/** A usage, and whether it is our own count. */
export interface CountedUsage {
  readonly usage: Usage
  readonly estimated: boolean
  /** The number of calls with the same prompt that it is the sum of. */
  readonly calls?: number
}

/** A priced usage, ready to settle. */
export interface PricedUsage extends CountedUsage {
  readonly cost: Cost
  /** Where something else than tokens was billed: how, for the receipt. */
  readonly settled?: SettledUsage
  /** Present where the vendor reported more than the request can have used. */
  readonly beyond?: UnchargedExcess
}

/** What a vendor reported, and how much of its cost is written off. */
export interface UnchargedExcess {
  readonly reported: PricedUsage
  /** Nanocredits. */
  readonly amount: bigint
}

/**
 * The usage that the answer reports in place of the vendor's: our own count, where that is charged.
 * @param isCut whether the answer may have been ended here, so that the vendor's usage came and was not passed on.
 */
export function ownCount({ usage, estimated }: PricedUsage, isCut = false): Usage | undefined {
  return estimated || isCut ? usage : undefined
}

/** What a usage costs. */
export function priceUsage(counted: CountedUsage, price: Price): PricedUsage {
  const usage = withRequests(counted, price)
  return { ...counted, usage, cost: costOf(usage, price, [], counted.calls) }
}

/**
 * What a usage costs together with what else was billed.
 * @param price the deployment's own, which says whether the request itself costs.
 */
export function priceSettled(settled: SettledUsage, price: Price, estimated: boolean): PricedUsage {
  const counted = withRequests(settled, price)
  const cost = costOf(counted, settled.price, settled.others, settled.calls)
  const usage = settled.others.reduce((sum, other) => addUsage(sum, other.usage), counted)
  return { usage, estimated, cost, settled }
}

/**
 * What is charged where a vendor has reported more usage than there can have been.
 * @param max the most that the request can have used.
 */
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

/** What is charged of a reported usage. Our own count of more than there can be is only a bad guess. */
function beyondOf(reported: PricedUsage, held: PricedUsage): PricedUsage {
  const amount = reported.cost.total - held.cost.total
  if (amount <= 0n || reported.estimated) return held
  return { ...held, beyond: { reported, amount } }
}

/** Counts the calls if they have a price, unless their provider reported their kinds. */
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
