import { GROUPED, withoutComma } from "./comma.ts"
import { parseDecimal } from "./decimal.ts"
import { inEnglish, type Translate } from "./english.ts"

/**
 * The only parser for amounts that people type. The console imports this file, so the file must not import schemas. The
 * API and the command line accept only plain decimals, and their errors show the correct form.
 */

/** The highest `minimum_seconds` of a price. */
export const MAX_MINIMUM_SECONDS = 3_600

/** The result of parsing: the amount in the API's form, or the error. */
export type AmountReading = { readonly amount: string } | { readonly fault: string }

export interface AmountForm {
  /** Maximum number of digits before and after the decimal point. */
  readonly whole: number
  readonly fraction: number
}

/** The form of credits in the API. */
export const CREDITS_FORM: AmountForm = { whole: 9, fraction: 9 }

const PLAIN = /^\d+(?:\.\d+)?$/

/**
 * Parses an amount: digits with a decimal point, thousands separated by commas, underscores or spaces. A comma that
 * does not separate thousands could be a decimal comma. Such an amount is rejected, and the error suggests the correct
 * form.
 */
export function readAmount(
  typed: string,
  form: AmountForm = CREDITS_FORM,
  translate: Translate = inEnglish,
): AmountReading {
  const text = typed.trim().replace(/\s/g, " ").replace("−", "-").replace(/^\+/, "")
  const isBelow = text.startsWith("-")
  const size = isBelow ? text.slice(1) : text
  if (!PLAIN.test(size) && !GROUPED.test(size)) {
    return { fault: formFault(size, translate) }
  }
  const digits = size.replace(/[,_ ]/g, "")
  const [whole = "", fraction = ""] = digits.split(".")
  if (whole.length > form.whole) {
    return {
      fault: translate("Enter at most {count} digits before the point", {
        count: String(form.whole),
      }),
    }
  }
  if (fraction.length > form.fraction) {
    return {
      fault: translate("Enter at most {count} digits after the point", {
        count: String(form.fraction),
      }),
    }
  }
  return { amount: `${isBelow ? "-" : ""}${digits}` }
}

function formFault(size: string, translate: Translate): string {
  const amount = withoutComma(size)
  if (amount === undefined) return translate("Enter a number, such as 12.50")
  return amount === null
    ? translate("A comma can be read in two ways: write digits with a point, such as 1.50")
    : translate("A comma can be read in two ways: write {amount}", { amount })
}

/** Nanocredits above which an entry needs a confirmation. */
const LARGE_ENTRY = parseDecimal("1000", CREDITS_FORM.fraction)
/**
 * Multiple of the balance above which an entry needs a confirmation. Amounts up to `MIN_LARGE` need no confirmation,
 * because nearly empty accounts are often topped up.
 */
const LARGE_SHARE = 10n
const MIN_LARGE = parseDecimal("100", CREDITS_FORM.fraction)

/**
 * Reports whether an entry is so large that its author must confirm it.
 * @param amount nanocredits, positive or negative.
 * @param balance balance of the account in nanocredits. An empty balance is not compared with the amount.
 */
export function isLargeEntry(amount: bigint, balance: bigint): boolean {
  const size = amount < 0n ? -amount : amount
  if (size > LARGE_ENTRY) return true
  // Taking more than the balance is rejected anyway.
  const isComparable = balance > 0n && amount > MIN_LARGE
  return isComparable && size > LARGE_SHARE * balance
}

/**
 * Returns the reason why a multiplier must be confirmed, or undefined for a usual multiplier.
 * @param multiplier decimal text.
 */
export function multiplierDoubt(
  multiplier: string,
  translate: Translate = inEnglish,
): string | undefined {
  const [whole = "0", fraction = ""] = multiplier.split(".")
  const isAboveZero = /[1-9]/.test(multiplier)
  if (!isAboveZero) return translate("With a multiplier of 0 every call costs nothing.")
  const hundredths = BigInt(whole || "0")
  const isAbove = hundredths > 100n || (hundredths === 100n && /[1-9]/.test(fraction))
  return isAbove
    ? translate(
        "With a multiplier of {multiplier} every call costs {multiplier} times its price.",
        {
          multiplier,
        },
      )
    : undefined
}
