import type { Reversal } from "../store/payments.ts"
import { factsOf, objectOf, StripeObject } from "./stripe-object.ts"

/** A reversal of a payment, or the return of a reversal, as reported by Stripe. */
export interface ReportedReversal extends Omit<Reversal, "units"> {
  /** The amount in the smallest units of `currency`. */
  readonly units: bigint
  readonly currency: string
  /** The note in the ledger, such as `Stripe refund re_1`. */
  readonly note: string
}

/** Refunds in these states never take back any money. */
const FAILED_REFUNDS = ["failed", "canceled"] as const
const REFUND_STATES = ["pending", "requires_action", "succeeded", ...FAILED_REFUNDS] as const
/** States of an inquiry. It moves no money, but may become a dispute. */
const INQUIRIES = ["warning_needs_response", "warning_under_review"] as const
/** States in which the merchant keeps the money. */
const WON = ["won", "warning_closed", "prevented"] as const
const DISPUTE_STATES = ["needs_response", "under_review", "lost", ...INQUIRIES, ...WON] as const

/**
 * Reads an event; undefined if it neither takes money back nor returns it. Source: Stripe's "Types of events", and its
 * objects Charge, Refund and Dispute. `amount_refunded` of a charge is its total so far.
 * @throws UnusableEvent
 */
export function reversalOf(event: unknown): ReportedReversal | undefined {
  const object = objectOf(event)
  switch (factsOf(event).type) {
    case "charge.refunded":
      return refundedCharge(new StripeObject(object, "charge"))
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
    case "charge.refund.updated":
      return refund(new StripeObject(object, "refund"))
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.closed":
      return dispute(new StripeObject(object, "dispute"), false)
    case "charge.dispute.funds_reinstated":
      return dispute(new StripeObject(object, "dispute"), true)
    default:
      return undefined
  }
}

function refundedCharge(charge: StripeObject): ReportedReversal | undefined {
  const intent = charge.reference("payment_intent")
  if (intent === undefined) return undefined
  const id = charge.text("id")
  const units = charge.units("amount_refunded")
  const note = `Stripe refund of ${id}`
  return { id, intent, kind: "charge", units, currency: charge.currency(), isUndone: false, note }
}

function refund(refunded: StripeObject): ReportedReversal | undefined {
  const intent = refunded.reference("payment_intent")
  if (intent === undefined) return undefined
  const id = refunded.text("id")
  const status = refunded.isNull("status") ? "pending" : refunded.state("status", REFUND_STATES)
  const isUndone = isOneOf(FAILED_REFUNDS, status)
  const note = `Stripe refund ${id}${isUndone ? `: ${status}` : ""}`
  const units = refunded.units("amount")
  return { id, intent, kind: "refund", units, currency: refunded.currency(), isUndone, note }
}

function dispute(disputed: StripeObject, isReinstated: boolean): ReportedReversal | undefined {
  const intent = disputed.reference("payment_intent")
  if (intent === undefined) return undefined
  const status = disputed.state("status", DISPUTE_STATES)
  if (isOneOf(INQUIRIES, status)) return undefined
  const id = disputed.text("id")
  const isUndone = isReinstated || isOneOf(WON, status)
  const note = `Stripe dispute ${id}${isUndone ? ": over, nothing is taken" : ""}`
  const units = disputed.units("amount")
  return { id, intent, kind: "dispute", units, currency: disputed.currency(), isUndone, note }
}

function isOneOf(states: readonly string[], state: string): boolean {
  return states.includes(state)
}
