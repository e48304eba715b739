import { randomUUID } from "node:crypto"
import { TEST_NOTICE } from "#contract/notice-types.ts"
import type { SettingsTest } from "#contract/operations.ts"
import { foldedEmail } from "../accounting/email-address.ts"
import type { Settings } from "../config/settings.ts"
import { DeliveryError } from "../notices/channels/channel.ts"
import { Mail } from "../notices/channels/mail.ts"
import { MailError } from "../notices/channels/mail-error.ts"
import { attemptKey, type AttemptLimits } from "../users/attempt-limits.ts"
import { fetchDescription, fetchKeyCount, IssuerFault } from "../users/issuer.ts"
import { requireOidc } from "../users/issuers.ts"
import { type Actor, requireOperator } from "./actor.ts"
import { toSentence } from "./sentence.ts"
import { type KeyCheck, stripeClient } from "./stripe-client.ts"

/** Rate limit of test email to one address. */
const MAILS_PER_ADDRESS = { max: 5, window: 10 * 60_000 }

const STRIPE_FAILURES: Readonly<Record<Exclude<KeyCheck, "ok">, string>> = {
  key_rejected:
    "Stripe rejects the secret key. Copy it again from Developers > API keys in the Stripe dashboard.",
  not_permitted:
    "Stripe accepts the key, but the key lacks a permission. Give the restricted key the permission Checkout Sessions: Write in the Stripe dashboard.",
  too_many_calls: "Stripe rejects the call because of too many calls. Try again in a minute.",
  no_response:
    "Stripe does not respond as expected. Check that the gateway can reach api.stripe.com, and Stripe's status page.",
}
const WRONG_WEBHOOK_SECRET =
  "Stripe accepts the secret key, but the webhook secret is wrong: it must begin with whsec_. Reveal the signing secret of the webhook endpoint in the Stripe dashboard, and enter it."

export interface SettingsTestParts {
  /** Returns the active settings. */
  readonly settings: () => Settings
  readonly limits: AttemptLimits
}

/** Tests the active settings of other services. Results contain no secrets and no text of these services. */
export class SettingsTests {
  readonly #parts: SettingsTestParts

  constructor(parts: SettingsTestParts) {
    this.#parts = parts
  }

  /**
   * Sends a test email.
   * @throws GatewayError `forbidden`, `too_many_attempts`.
   */
  async mail(actor: Actor, address: string): Promise<SettingsTest> {
    requireOperator(actor)
    const { settings, limits } = this.#parts
    const place = foldedEmail(address)
    await limits.begin([{ key: attemptKey("notice-test", place), ...MAILS_PER_ADDRESS }])
    const message = {
      id: `evt_${randomUUID()}`,
      type: TEST_NOTICE,
      created_at: new Date().toISOString(),
      account: null,
      data: { asked_by: actor.name },
    }
    return timed(async () => {
      try {
        await new Mail(() => settings().notices.mail).send(message, { address })
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error
        const remedy = error instanceof MailError ? ` ${error.remedy}.` : ""
        return { ok: false, message: toSentence(error.message) + remedy }
      }
      return {
        ok: true,
        message: `The mail server accepted the email to ${address}. If it does not arrive, check the spam folder.`,
      }
    })
  }

  /**
   * Calls Stripe with the secret key. The call changes nothing.
   * @throws GatewayError `forbidden`.
   */
  async stripe(actor: Actor): Promise<SettingsTest> {
    requireOperator(actor)
    const settings = this.#parts.settings().stripe
    if (settings === undefined) {
      const message =
        "Stripe is not configured. Enter the secret key and the webhook secret, and save them."
      return { ok: false, message, duration_ms: 0 }
    }
    return timed(async () => {
      const result = await (await stripeClient(settings)).checkKey()
      if (result !== "ok") return { ok: false, message: STRIPE_FAILURES[result] }
      if (!settings.webhookSecret.startsWith("whsec_")) {
        return { ok: false, message: WRONG_WEBHOOK_SECRET }
      }
      const isTest = /^(sk|rk)_test_/.test(settings.secretKey)
      return {
        ok: true,
        message: `Stripe accepts the key${isTest ? ". It is for test mode, in which no real money moves" : ""}. Stripe cannot confirm the webhook secret: make a test payment to check it.`,
      }
    })
  }

  /**
   * Reads the discovery document and the keys of an issuer.
   * @throws GatewayError `forbidden`, `not_found`.
   */
  async issuer(actor: Actor, id: string): Promise<SettingsTest> {
    requireOperator(actor)
    const { issuer } = requireOidc(this.#parts.settings().console?.oidc ?? [], id)
    return timed(async () => {
      try {
        const keys = await fetchKeyCount(await fetchDescription(issuer))
        const counted = keys === 1 ? "1 key" : `${keys} keys`
        const message = `The discovery document is valid, and the issuer has ${counted}. The client ID and the secret are checked at the first sign-in.`
        return { ok: true, message }
      } catch (error) {
        if (!(error instanceof IssuerFault)) throw error
        return {
          ok: false,
          message: `The issuer cannot be used: ${error.message}. ${error.remedy}`,
        }
      }
    })
  }
}

async function timed(
  step: () => Promise<Omit<SettingsTest, "duration_ms">>,
): Promise<SettingsTest> {
  const begun = performance.now()
  const result = await step()
  return { ...result, duration_ms: Math.round(performance.now() - begun) }
}
