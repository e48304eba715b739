import type { Stripe } from "stripe"
import { GatewayError } from "../canon/errors.ts"
import type { PaymentSettings } from "../config/sections/payments.ts"
import { UnusableEvent } from "./stripe-object.ts"

const TIMEOUT_MS = 20_000
const MAX_RETRIES = 2
const CHECK_TIMEOUT_MS = 10_000

/** The result of a call with the key. */
export type KeyCheck = "ok" | "key_rejected" | "not_permitted" | "too_many_calls" | "no_response"

/** The part of Stripe's API that is used. */
export interface StripeClient {
  /**
   * Creates a payment page.
   * @returns the address of the page.
   * @throws GatewayError `invalid_value`, `upstream_error`.
   */
  createCheckout(input: Stripe.Checkout.SessionCreateParams): Promise<string>
  /**
   * Finds the checkout session of a payment; undefined if the payment has no session.
   * @throws GatewayError `upstream_error`.
   */
  findSession(intent: string): Promise<unknown>
  /** Calls Stripe once with the key. The call changes nothing, and needs the same permission as payments. */
  checkKey(): Promise<KeyCheck>
  /**
   * Verifies and parses an event.
   * @throws GatewayError if the signature is not Stripe's for this body; UnusableEvent if the body is not an event.
   */
  readEvent(body: string, signature: string): Promise<unknown>
}

/** Creates a client with Stripe's own library, which is loaded when the first payment is made. */
export async function stripeClient(settings: PaymentSettings): Promise<StripeClient> {
  const { Stripe } = await import("stripe")
  const stripe = new Stripe(settings.secretKey, {
    ...placeOf(settings.baseUrl),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: MAX_RETRIES,
    telemetry: false,
  })
  return {
    async createCheckout(input) {
      try {
        const { url } = await stripe.checkout.sessions.create(input)
        if (url) return url
      } catch (cause) {
        throw rejectionOf(cause, Stripe)
      }
      throw new GatewayError("upstream_error", "Stripe did not create a payment page. Try again.")
    },
    async findSession(intent) {
      try {
        const { data } = await stripe.checkout.sessions.list({ payment_intent: intent, limit: 1 })
        return data[0]
      } catch (cause) {
        throw unansweredBy(cause, Stripe)
      }
    },
    async checkKey() {
      const options = { timeout: CHECK_TIMEOUT_MS, maxNetworkRetries: 0 }
      try {
        await stripe.checkout.sessions.list({ limit: 1 }, options)
        return "ok"
      } catch (cause) {
        return checkOf(cause, Stripe)
      }
    },
    async readEvent(body, signature) {
      try {
        return await stripe.webhooks.constructEventAsync(body, signature, settings.webhookSecret)
      } catch (cause) {
        if (cause instanceof Stripe.errors.StripeSignatureVerificationError) throw notSigned(cause)
        throw new UnusableEvent("its body is not an event")
      }
    },
  }
}

function placeOf(baseUrl: string | undefined) {
  if (baseUrl === undefined) return {}
  const { protocol, hostname, port } = new URL(baseUrl)
  const isOpen = protocol === "http:"
  return {
    protocol: isOpen ? ("http" as const) : ("https" as const),
    host: hostname,
    port: port === "" ? (isOpen ? 80 : 443) : Number(port),
  }
}

function notSigned(cause: Error): GatewayError {
  return new GatewayError(
    "invalid_value",
    "The signature is not Stripe's for this body. Set the webhook's own secret as 'webhook_secret'.",
    { parameter: "stripe-signature", cause },
  )
}

/**
 * Builds an error from Stripe's response. It includes Stripe's message about an amount, but not a message about the
 * key.
 */
function rejectionOf(cause: unknown, { errors }: typeof Stripe): GatewayError {
  if (cause instanceof errors.StripeInvalidRequestError) {
    const message = `Stripe rejects this amount: ${cause.message.slice(0, 300)}`
    return new GatewayError("invalid_value", message, { parameter: "credits", cause })
  }
  return unansweredBy(cause, { errors })
}

function checkOf(cause: unknown, { errors }: Pick<typeof Stripe, "errors">): KeyCheck {
  if (cause instanceof errors.StripeAuthenticationError) return "key_rejected"
  if (cause instanceof errors.StripePermissionError) return "not_permitted"
  return cause instanceof errors.StripeRateLimitError ? "too_many_calls" : "no_response"
}

function unansweredBy(cause: unknown, { errors }: Pick<typeof Stripe, "errors">): GatewayError {
  const isKey =
    cause instanceof errors.StripeAuthenticationError ||
    cause instanceof errors.StripePermissionError
  return new GatewayError(
    "upstream_error",
    isKey
      ? "Stripe rejects this gateway's key. An operator has to set a valid one."
      : "Stripe does not respond. Nothing was paid. Try again.",
    { cause },
  )
}
