import type { z } from "zod"
import { type Secret, setting } from "../declare.ts"
import { address } from "../addresses.ts"
import { Fault, readingText } from "../reading.ts"
import { secret } from "../scalars.ts"
import { entry } from "../shapes.ts"

/** Currencies without decimal places at Stripe (see Stripe's page "Supported currencies"). */
const WITHOUT_CENTS = new Set(
  "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "),
)
/** Currencies that are not supported, because they have three decimal places or other special rules. */
const REFUSED = new Set(["bhd", "isk", "jod", "kwd", "omr", "tnd", "ugx"])

/** Returns the number of decimal places of a currency's amounts at Stripe. */
export function currencyPlaces(currency: string): number {
  return WITHOUT_CENTS.has(currency) ? 0 : 2
}

/** Formats an amount of a currency's smallest units with all decimal places, such as `25.00`. */
export function formatUnits(units: bigint, currency: string): string {
  const places = currencyPlaces(currency)
  const digits = units.toString().padStart(places + 1, "0")
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

const currency = readingText((text) => {
  const code = text.toLowerCase()
  if (!/^[a-z]{3}$/.test(code)) return new Fault("must be a currency such as usd or eur")
  if (REFUSED.has(code)) return new Fault("is not a supported currency. Choose another")
  return code
})

/** The Stripe account through which credits are sold by card. One credit costs one unit of the currency. */
const payments = entry({
  /** The secret key. Never printed, like the webhook secret. */
  secretKey: secret(),
  /** Proves that a webhook comes from Stripe. */
  webhookSecret: secret(),
  /** ISO 4217 code in lowercase. */
  currency: currency.prefault("usd"),
  /** Stripe's address; if absent, the official one. */
  baseUrl: address().optional(),
})

export type PaymentSettings = z.output<typeof payments>

const PAYMENT_SECRET: Secret<PaymentSettings> = {
  textsOf: ({ secretKey, webhookSecret }) => [secretKey, webhookSecret],
  describe: (settings) => settings && { ...settings, secretKey: "set", webhookSecret: "set" },
}

export const PAYMENTS = {
  /** The Stripe account; if absent, credits are not sold by card. */
  stripe: setting(payments, {
    isNullable: true,
    secret: PAYMENT_SECRET,
    documentation:
      "`{ secret_key, webhook_secret, currency }`: sells credits by card, one credit for one unit of the currency (`usd`). Known prices are in US dollars: with another currency set `multiplier` ([credits in another currency](../run/prices.md#credits-in-another-currency)). Send the events `checkout.session.completed`, `checkout.session.async_payment_succeeded`, `charge.refunded`, `refund.*` and `charge.dispute.*` to `<address>/webhooks/stripe`; a restricted key needs the permission `Checkout Sessions: Write`",
  }),
}
