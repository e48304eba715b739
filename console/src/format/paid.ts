import { currentLanguage } from "../languages/text.ts"

interface Paid {
  /** Plain decimal text. */
  readonly amount: string
  readonly currency: string
}

/** Formats an amount of money with its currency and the decimal places of the currency: `EUR 25.00`, `JPY 2,500`. */
export function paidText({ amount, currency }: Paid): string {
  const format = new Intl.NumberFormat(currentLanguage.numbers, {
    style: "currency",
    currency,
    currencyDisplay: "code",
  })
  // Text is formatted exactly, unlike a number. The space must not prevent line breaks in narrow columns.
  return format.format(amount as `${number}`).replaceAll("\u00a0", " ")
}
