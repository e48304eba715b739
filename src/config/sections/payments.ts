import { section, setting } from "../declare.ts"
import { address } from "../addresses.ts"
import { Fault, readingText } from "../reading.ts"
import { secret } from "../scalars.ts"
import { PLAIN_SECRET } from "../secret-forms.ts"

/** Currencies without decimal places at Stripe (see Stripe's page "Supported currencies"). */
const WITHOUT_CENTS = new Set(
  "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "),
)
/** Currencies that are not supported, because they have three decimal places or other special rules. */
const REJECTED = new Set(["bhd", "isk", "jod", "kwd", "omr", "tnd", "ugx"])

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
  if (REJECTED.has(code)) return new Fault("is not a supported currency. Choose another")
  return code
})

/** The Stripe account through which credits are sold by card. One credit costs one unit of the currency. */
export interface PaymentSettings {
  /** The secret key. Never printed, like the webhook secret. */
  readonly secretKey: string
  /** Proves that a webhook comes from Stripe. */
  readonly webhookSecret: string
  /** ISO 4217 code in lowercase. */
  readonly currency: string
  /** Stripe's address; if absent, the official one. */
  readonly baseUrl?: string
}

/** The Stripe account; undefined if credits are not sold by card. */
export const PAYMENTS = section(
  "stripe",
  {
    secretKey: setting(secret(), {
      secret: PLAIN_SECRET,
      console: {
        label: "Secret key of Stripe",
        help: "A restricted key with the permission Checkout Sessions: Write (rk_…), or a secret key (sk_…).",
      },
      documentation:
        "the secret key of your Stripe account: sells [credits by card](../run/card-payments.md), one credit for one unit of the currency. A restricted key needs the permission `Checkout Sessions: Write`; needs `stripe.webhook_secret`",
    }),
    webhookSecret: setting(secret(), {
      secret: PLAIN_SECRET,
      console: {
        label: "Webhook secret of Stripe",
        help: "The signing secret of the webhook endpoint in Stripe (whsec_…).",
      },
      documentation:
        "the signing secret of the webhook endpoint `<address>/webhooks/stripe`. Send the events `checkout.session.completed`, `checkout.session.async_payment_succeeded`, `charge.refunded`, `refund.*` and `charge.dispute.*`; needs `stripe.secret_key`",
    }),
    currency: setting(currency, {
      default: "usd",
      console: {
        label: "Currency of card payments",
        help: "One credit costs one unit of it. With another currency than usd, set the multiplier.",
      },
      documentation:
        "the currency of card payments. Known prices are in US dollars, so set `multiplier` for another currency ([credits in another currency](../run/prices.md#credits-in-another-currency))",
    }),
    baseUrl: setting(address(), {
      otherwise: "Stripe's own",
      documentation: "the address of Stripe's API, for tests",
    }),
  },
  {
    rule: {
      message:
        "needs both secret_key and webhook_secret to sell credits by card. Add the other one",
      together: ["secret_key", "webhook_secret"],
      isMet: (names) => names.has("secret_key") && names.has("webhook_secret"),
    },
    build: ({ secretKey, webhookSecret, ...others }): PaymentSettings | undefined =>
      secretKey !== undefined && webhookSecret !== undefined
        ? { secretKey, webhookSecret, ...others }
        : undefined,
  },
)
