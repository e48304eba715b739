import type { Stripe } from "stripe"
import type { Reversal } from "../store/payments.ts"

/** A reversal of a payment, or its return, as Stripe reports it. */
export interface ReportedReversal extends Omit<Reversal, "units"> {
  /** In the smallest units of `currency`. */
  readonly units: bigint
  readonly currency: string
  /** The note in the ledger: `Stripe refund re_1`. */
  readonly note: string
}

/** A refund in these takes nothing, now and later. */
const FAILED_REFUNDS: ReadonlySet<string> = new Set(["failed", "canceled"])
/** An inquiry: no money has moved. It may become a dispute. */
const INQUIRIES: ReadonlySet<string> = new Set(["warning_needs_response", "warning_under_review"])
/** The merchant keeps the money. */
const WON: ReadonlySet<string> = new Set(["won", "warning_closed", "prevented"])

/**
 * Reads an event; undefined for one that neither takes money back nor returns it. Source: Stripe's "Types of
 * events" and its objects Charge, Refund and Dispute. `amount_refunded` of a charge is the total so far.
 */
export function reversalOf(event: Stripe.Event): ReportedReversal | undefined {
  switch (event.type) {
    case "charge.refunded":
      return refundedCharge(event.data.object)
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
    case "charge.refund.updated":
      return refund(event.data.object)
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.closed":
      return dispute(event.data.object, false)
    case "charge.dispute.funds_reinstated":
      return dispute(event.data.object, true)
    default:
      return undefined
  }
}

function refundedCharge(charge: Stripe.Charge): ReportedReversal | undefined {
  const intent = idOf(charge.payment_intent)
  if (intent === undefined) return undefined
  const { id, amount_refunded, currency } = charge
  const note = `Stripe refund of ${id}`
  return {
    id,
    intent,
    kind: "charge",
    units: BigInt(amount_refunded),
    currency,
    isUndone: false,
    note,
  }
}

function refund({ id, payment_intent, amount, currency, status }: Stripe.Refund) {
  const intent = idOf(payment_intent)
  if (intent === undefined) return undefined
  const isUndone = FAILED_REFUNDS.has(status ?? "")
  const note = `Stripe refund ${id}${isUndone ? `: ${status}` : ""}`
  return { id, intent, kind: "refund" as const, units: BigInt(amount), currency, isUndone, note }
}

function dispute(
  { id, payment_intent, amount, currency, status }: Stripe.Dispute,
  isReinstated: boolean,
): ReportedReversal | undefined {
  const intent = idOf(payment_intent)
  if (intent === undefined || INQUIRIES.has(status)) return undefined
  const isUndone = isReinstated || WON.has(status)
  const note = `Stripe dispute ${id}${isUndone ? ": over, nothing is taken" : ""}`
  return { id, intent, kind: "dispute", units: BigInt(amount), currency, isUndone, note }
}

/** A referenced object is given by its id, or in full. */
function idOf(reference: string | { readonly id: string } | null): string | undefined {
  return (typeof reference === "string" ? reference : reference?.id) ?? undefined
}
