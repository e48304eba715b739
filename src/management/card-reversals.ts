import { StoreError } from "../store/store-error.ts"
import { formatCredits } from "../ledger/money.ts"
import type { OpenReversal, Reversal } from "../store/payments.ts"
import { type Store } from "../store/store.ts"
import type { Actor } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { takeRecalled } from "./recalled-credits.ts"
import { factsOf, objectOf, StripeObject } from "./stripe-object.ts"

/**
 * Maximum attempts. Concurrent settlements of the same payment may conflict. Each conflict means that one of them
 * succeeded.
 */
const MAX_ATTEMPTS = 20

export interface ReversalParts {
  readonly store: Store
  readonly audit: Audit
  readonly warn: (message: string) => void
}

/**
 * Takes credits back after a refund or dispute of their card payment, and returns them if the dispute is won. A balance
 * never falls below zero. The missing amount becomes a debt, which new credits pay first.
 */
export class CardReversals {
  readonly #parts: ReversalParts

  constructor(parts: ReversalParts) {
    this.#parts = parts
  }

  /**
   * Adjusts the ledger to the sum of a payment's reversals, including this one.
   * @throws StoreError `not_found` for an unknown payment.
   */
  async settle(actor: Actor, reported: ReportedReversal): Promise<void> {
    const { store } = this.#parts
    const payment = await store.payments.findCard(reported.intent)
    // An amount in another currency does not show which part of the payment was reversed.
    const units = payment === null || payment.currency === reported.currency ? reported.units : null
    const { id, intent, kind, isUndone } = reported
    for (let attempt = 1; ; attempt++) {
      const open = await store.payments.noteReversal({ id, intent, kind, units, isUndone })
      if (open.amount === 0n) return
      try {
        return await this.#post(actor, reported, open)
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        // Another process has settled the reversal, or another reversal was reported in the meantime.
        if (error.code === "exists") return
        if (error.code !== "conflict" || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  async #post(
    actor: Actor,
    { intent, id, note }: ReportedReversal,
    open: OpenReversal,
  ): Promise<void> {
    const { store, audit, warn } = this.#parts
    const { account, amount } = open
    const change = {
      action: "account.reversal",
      account,
      target: id,
      after: { amount: formatCredits(-amount), note },
    }
    const settlement = { intent, amount, at: Date.now(), note, author: actor.name }
    const post = () =>
      audit.perform(actor, change, (record) => store.payments.settleReversal(settlement, record))
    await (amount > 0n ? this.#takeBack(open, post) : post())
    const debt = (await store.accounts.find(account))?.debt ?? 0n
    if (debt > 0n) warn(`the account ${account} owes ${formatCredits(debt)} credits: ${note}`)
  }

  /** Posts a reversal as soon as its amount or the whole balance is free, or after a timeout. */
  #takeBack({ account, amount }: OpenReversal, post: () => Promise<unknown>): Promise<true> {
    const { store } = this.#parts
    return takeRecalled(store, { account, amount }, async (free, isLast) => {
      const { balance = 0n } = (await store.accounts.find(account)) ?? {}
      const wanted = balance < amount ? balance : amount
      if (free < wanted && !isLast) return undefined
      await post()
      return true
    })
  }
}

/** A reversal of a payment, or the return of a reversal, as reported by Stripe. */
interface ReportedReversal extends Omit<Reversal, "units"> {
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
