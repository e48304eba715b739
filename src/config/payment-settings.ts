import { Fault, address, readText, reading, secret } from "./scalars.ts"

/** Stripe takes cards for credits. One credit is one unit of the currency. */
export interface PaymentSettings {
  /** Never printed; nor is the next one. */
  readonly secretKey: string
  /** Proves that a webhook comes from Stripe. */
  readonly webhookSecret: string
  /** ISO 4217, in lowercase. */
  readonly currency: string
  /** Absent: Stripe's own. */
  readonly baseUrl?: string
}

/** Currencies that Stripe counts in units without cents; source: its page "Supported currencies". */
const WITHOUT_CENTS = new Set(
  "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "),
)
/** Currencies with thousandths or other rules that amounts here do not follow. */
const REFUSED = new Set(["bhd", "isk", "jod", "kwd", "omr", "tnd", "ugx"])

/** How many decimal places an amount of a currency has at Stripe. */
export function currencyPlaces(currency: string): number {
  return WITHOUT_CENTS.has(currency) ? 0 : 2
}

/** How the fields of the section `stripe` are read. */
export const paymentScalars = {
  secret_key: secret(),
  webhook_secret: secret(),
  currency: reading((input) => {
    const text = readText(input)
    if (text instanceof Fault) return text
    const currency = text.toLowerCase()
    if (!/^[a-z]{3}$/.test(currency)) return new Fault("must be a currency such as usd or eur")
    if (REFUSED.has(currency)) return new Fault("is a currency that is not supported. Take another")
    return currency
  }).optional(),
  base_url: address().optional(),
}

interface FilePayments {
  readonly secret_key: string
  readonly webhook_secret: string
  readonly currency?: string | undefined
  readonly base_url?: string | undefined
}

/** The parsed section of the file; undefined without one. */
export function paymentSettings(
  section: FilePayments | null | undefined,
): PaymentSettings | undefined {
  if (!section) return undefined
  return {
    secretKey: section.secret_key,
    webhookSecret: section.webhook_secret,
    currency: section.currency ?? "usd",
    ...(section.base_url !== undefined && { baseUrl: section.base_url }),
  }
}
