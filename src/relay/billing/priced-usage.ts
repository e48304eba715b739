import { addUsage, type Usage } from "../../canon/usage.ts"
import { type Cost, costOf, type Price } from "../../ledger/price.ts"
import type { SettledUsage } from "../billable/settle.ts"
import { heldTo, type MaxUsage } from "./usage-bound.ts"

/** A priced usage, ready to settle. */
export interface PricedUsage {
  readonly usage: Usage
  readonly estimated: boolean
  readonly cost: Cost
  /** Where something else than tokens was billed: how, for the receipt. */
  readonly settled?: SettledUsage
  /** Present where the vendor reported more than the request can have used. */
  readonly beyond?: Beyond
}

/** What a vendor reported, and how much of its cost is written off. */
export interface Beyond {
  readonly reported: PricedUsage
  /** Nanocredits. */
  readonly amount: bigint
}

/** A usage, and whether it is our own count. */
export interface CountedUsage {
  readonly usage: Usage
  readonly estimated: boolean
}

/**
 * The usage that the answer reports in place of the vendor's: our own count, where that is charged.
 * @param isCut whether the answer may have been ended here, so that the vendor's usage came and was not passed on.
 */
export function ownCount({ usage, estimated }: PricedUsage, isCut = false): Usage | undefined {
  return estimated || isCut ? usage : undefined
}

/** What a usage costs. */
export function priceUsage({ usage, estimated }: CountedUsage, price: Price): PricedUsage {
  const counted = withRequest(usage, price)
  return { usage: counted, estimated, cost: costOf(counted, price) }
}

/**
 * What a usage costs together with what else was billed.
 * @param price the deployment's own, which says whether the request itself costs.
 */
export function priceSettled(settled: SettledUsage, price: Price, estimated: boolean): PricedUsage {
  const counted = withRequest(settled.usage, price)
  const cost = costOf(counted, settled.price, settled.others)
  const usage = settled.others.reduce((sum, other) => addUsage(sum, other.usage), counted)
  return { usage, estimated, cost, settled }
}

/**
 * What is charged where a vendor has reported more usage than there can have been.
 * @param max the most that the request can have used.
 */
export function boundedPrice(reported: PricedUsage, price: Price, max: MaxUsage): PricedUsage {
  const { settled, estimated } = reported
  if (settled === undefined) {
    return beyondOf(
      reported,
      priceUsage({ usage: heldTo(max.own, reported.usage), estimated }, price),
    )
  }
  const held = {
    ...settled,
    usage: heldTo(max.own, settled.usage),
    others: settled.others.map((other) => ({ ...other, usage: heldTo(max.second, other.usage) })),
  }
  return beyondOf(reported, priceSettled(held, price, estimated))
}

/** What is charged of a reported usage. Our own count of more than there can be is only a bad guess. */
function beyondOf(reported: PricedUsage, held: PricedUsage): PricedUsage {
  const amount = reported.cost.total - held.cost.total
  if (amount <= 0n || reported.estimated) return held
  return { ...held, beyond: { reported, amount } }
}

/** Counts the request itself, where it has a price of its own. */
export function withRequest(usage: Usage, price: Price): Usage {
  return price.rates.requests === undefined ? usage : { ...usage, requests: 1 }
}
