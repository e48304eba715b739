import type { BaseUrl } from "./base-url.ts"
import type { Stripe } from "stripe"
import { StoreError } from "../store/store-error.ts"
import { GatewayError } from "../canon/errors.ts"
import { isStorableText } from "../canon/storable-text.ts"
import { currencyPlaces, type PaymentSettings } from "../config/sections/payments.ts"
import { parseDecimal } from "#contract/decimal.ts"
import { formatCredits, parseCredits } from "../ledger/money.ts"
import { type Store } from "../store/store.ts"
import type { CardPayment } from "../store/payments.ts"
import { type Actor, requireRole } from "./actor.ts"
import { requireAccount } from "./stored-accounts.ts"
import type { Audit } from "./audit.ts"
import { CardReversals, reversalOf } from "./card-reversals.ts"
import { type StripeClient, stripeClient } from "./stripe-client.ts"
import { factsOf, objectOf, StripeObject, UnusableEvent } from "./stripe-object.ts"

/** Stripe's maximum amount per payment, in the currency's smallest units. */
const MAX_UNITS = 99_999_999n

/** The actor of changes that Stripe reports, in the ledger and the audit log. */
const STRIPE: Actor = {
  kind: "command",
  id: null,
  name: "stripe",
  isOperator: true,
  roles: new Map(),
  address: null,
}

export interface PaymentParts {
  readonly store: Store
  readonly audit: Audit
  /** Returns the active settings; undefined if cards are not accepted. */
  readonly settings: () => PaymentSettings | undefined
  /** Returns the public address, to which payment pages return. */
  readonly baseUrl: BaseUrl
  readonly warn: (message: string) => void
  /** Reports to the operator that an event was not applied. */
  readonly alarm: (problem: PaymentProblem) => void
}

/** A Stripe event that was not applied. */
export interface PaymentProblem {
  /** The event's ids and type, as shown in Stripe's dashboard. */
  readonly event: string
  readonly type: string
  readonly object: string
  readonly reason: string
}

/** Sells credits by card. One credit is one unit of the currency, and amounts are exact to the cent. */
export class Payments {
  readonly #parts: PaymentParts
  readonly #reversals: CardReversals

  constructor(parts: PaymentParts) {
    this.#parts = parts
    this.#reversals = new CardReversals(parts)
  }

  /** Whether cards are accepted. */
  get isOpen(): boolean {
    return this.#parts.settings() !== undefined
  }

  /**
   * Creates a payment page at Stripe.
   * @param credits decimal text above zero.
   * @throws GatewayError `not_found`, `forbidden`; `invalid_value` for amounts that cannot be paid; `upstream_error` if
   *   Stripe does not respond.
   */
  async checkout(actor: Actor, account: string, credits: string): Promise<{ url: string }> {
    requireRole(actor, account, "member")
    const settings = this.#settings()
    await requireAccount(this.#parts.store, account)
    const client = await stripeClient(settings)
    const url = await client.createCheckout(
      this.#order(actor, { account, credits, currency: settings.currency }),
    )
    return { url }
  }

  /**
   * Processes a webhook call from Stripe. A payment becomes one entry, regardless of how often it is reported, and a
   * reversal takes its credits back. Payments of other systems are ignored. An event that cannot be applied changes
   * nothing and raises an alarm.
   * @param body the exact bytes of the request, as text.
   * @param signature the header `stripe-signature`.
   * @throws GatewayError `invalid_value` if the call does not come from Stripe; `upstream_error` if Stripe does not
   * respond
   *   to the lookup of a refund's payment.
   */
  async receive(body: string, signature: string | null): Promise<void> {
    const client = await stripeClient(this.#settings())
    let event: unknown
    try {
      event = await client.readEvent(body, signature ?? "")
      await this.#apply(client, event)
    } catch (error) {
      const reason = reasonOf(error)
      if (reason === undefined) throw error
      const { id, type, object } = factsOf(event)
      this.#parts.alarm({ event: id, type, object, reason })
    }
  }

  async #apply(client: StripeClient, event: unknown): Promise<void> {
    const { type } = factsOf(event)
    if (
      type === "checkout.session.completed" ||
      type === "checkout.session.async_payment_succeeded"
    ) {
      await this.#postSession(objectOf(event))
      return
    }
    const reported = reversalOf(event)
    if (reported === undefined || !(await this.#isOurs(client, reported.intent))) return
    await this.#reversals.settle(STRIPE, reported)
  }

  /** Whether a payment belongs to the gateway. If its session was not posted yet, it is posted now. */
  async #isOurs(client: StripeClient, intent: string): Promise<boolean> {
    if ((await this.#parts.store.payments.findCard(intent)) !== null) return true
    const session = await client.findSession(intent)
    return session !== undefined && (await this.#postSession(session))
  }

  /**
   * Posts the payment of a session.
   * @returns whether the payment is now in the ledger.
   * @throws UnusableEvent
   */
  async #postSession(object: unknown): Promise<boolean> {
    const session = new StripeObject(object, "checkout.session")
    const payment = paymentOf(session)
    if (payment === undefined) return false
    await this.#postPayment(session.text("id"), payment)
    return true
  }

  async #postPayment(id: string, { account, amount, card }: Payment): Promise<void> {
    const { store, audit } = this.#parts
    if ((await store.accounts.find(account))?.id !== account) {
      throw new UnusableEvent(`there is no account '${account.slice(0, 100)}'`)
    }
    const note = `Stripe ${id}`
    const after = { amount: formatCredits(amount), note }
    const change = { action: "account.payment", account, target: id, after }
    const known = { id, account, amount, at: Date.now(), note, author: STRIPE.name }
    const payment = { ...known, ...(card && { card }) }
    try {
      await audit.perform(STRIPE, change, (record) => store.payments.add(payment, record))
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "exists") throw error
      // The payment was already posted, possibly by a version that did not store the identifier for refunds.
      if (card) await store.payments.rememberCard({ ...card, payment: id, account, amount })
    }
  }

  #settings(): PaymentSettings {
    const settings = this.#parts.settings()
    if (settings) return settings
    throw new GatewayError(
      "not_found",
      "Credits are not sold by card here: an operator enters the keys of Stripe in the settings. Redeem a code instead.",
    )
  }

  /**
   * Validates an amount of credits.
   * @throws GatewayError if it cannot be paid.
   */
  #order(
    { origin }: Actor,
    { account, credits, currency }: Order,
  ): Stripe.Checkout.SessionCreateParams {
    const units = unitsOf(credits, currency)
    const page = `${this.#parts.baseUrl(origin)}/console/credits?account=${encodeURIComponent(account)}`
    const name = `${formatCredits(parseCredits(credits))} credits`
    return {
      mode: "payment",
      client_reference_id: account,
      metadata: { tollgate: "credits", account, credits, currency },
      line_items: [
        { quantity: 1, price_data: { currency, unit_amount: units, product_data: { name } } },
      ],
      success_url: `${page}&paid=yes`,
      cancel_url: `${page}&paid=no`,
    }
  }
}

interface Order {
  readonly account: string
  readonly credits: string
  readonly currency: string
}

interface Payment {
  readonly account: string
  /** Amount in nanocredits. */
  readonly amount: bigint
  /** Identifies the payment in refunds and disputes; absent if Stripe provides no identifier. */
  readonly card: Pick<CardPayment, "intent" | "units" | "currency"> | undefined
}

/**
 * Returns the payment of a session; undefined if the session is not paid or does not belong to this gateway.
 * @throws UnusableEvent
 */
function paymentOf(session: StripeObject): Payment | undefined {
  const { tollgate, account, credits, currency } = session.metadata
  if (tollgate !== "credits" || session.state("payment_status", SESSION_STATES) !== "paid") {
    return undefined
  }
  if (!isMade(account) || !isMade(credits) || !isMade(currency) || !/^\d+(\.\d+)?$/.test(credits)) {
    throw new UnusableEvent("its metadata was modified")
  }
  const paidIn = session.currency()
  if (paidIn !== currency) throw new UnusableEvent(`it was paid in '${paidIn}'`)
  const units = session.units("amount_subtotal")
  if (units === 0n || units !== BigInt(unitsOf(credits, currency))) {
    throw new UnusableEvent(`it was made for ${credits} credits, and is of ${units} units`)
  }
  return { account, amount: parseCredits(credits), card: cardOf(session) }
}

const SESSION_STATES = ["paid", "unpaid", "no_payment_required"] as const

function isMade(value: unknown): value is string {
  return typeof value === "string" && value !== "" && isStorableText(value)
}

function cardOf(session: StripeObject): Payment["card"] {
  const intent = session.reference("payment_intent")
  if (intent === undefined || session.isNull("amount_total")) return undefined
  return { intent, units: session.units("amount_total"), currency: session.currency() }
}

/**
 * Returns the reason why an event can never be applied; undefined for other errors, after which Stripe repeats the
 * event.
 */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof UnusableEvent) return error.message
  if (error instanceof StoreError && error.code !== "conflict") return error.message
  if (error instanceof GatewayError && error.details.parameter === "credits") return error.message
  return undefined
}

/** Converts credits to the smallest units of a currency. @throws GatewayError `invalid_value`, `above_max_value`. */
function unitsOf(credits: string, currency: string): number {
  const places = currencyPlaces(currency)
  const parameter = "credits"
  let units: bigint
  try {
    units = parseDecimal(credits, places)
  } catch {
    const digits = places === 0 ? "whole credits" : `at most ${places} digits after the point`
    throw new GatewayError("invalid_value", `'credits' that are paid by card have ${digits}.`, {
      parameter,
    })
  }
  if (units > MAX_UNITS) {
    throw new GatewayError(
      "above_max_value",
      "'credits' is above the maximum for one card payment.",
      {
        parameter,
      },
    )
  }
  return Number(units)
}
