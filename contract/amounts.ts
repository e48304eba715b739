import { commaAdvice, GROUPED } from "./comma.ts"
import { parseDecimal } from "./decimal.ts"

/**
 * The one reading of amounts that people type. The console uses it as it is, so it needs nothing that is
 * not plain code. The API and the command line take plain decimals only, and say what to write instead.
 */

/** The highest `minimum_seconds` of a price. */
export const MAX_MINIMUM_SECONDS = 3_600

/** What is typed, read: the amount as the API takes it, or what is wrong with it. */
export type AmountReading = { readonly amount: string } | { readonly fault: string }

export interface AmountForm {
  /** The most digits before and after the point. */
  readonly whole: number
  readonly fraction: number
}

/** Credits as the API takes them. */
export const CREDITS_FORM: AmountForm = { whole: 9, fraction: 9 }

const PLAIN = /^\d+(?:\.\d+)?$/

/**
 * Reads an amount: digits with a point, thousands between commas, underscores or spaces. A comma that
 * does not group thousands could be a decimal one, so it is refused with what to write.
 */
export function readAmount(typed: string, form: AmountForm = CREDITS_FORM): AmountReading {
  const text = typed.trim().replace(/\s/g, " ").replace("−", "-").replace(/^\+/, "")
  const isBelow = text.startsWith("-")
  const size = isBelow ? text.slice(1) : text
  if (!PLAIN.test(size) && !GROUPED.test(size)) {
    const advice = commaAdvice(size)
    return {
      fault:
        advice === undefined
          ? "Write a number, such as 12.50"
          : `A comma can be read in two ways: ${advice}`,
    }
  }
  const digits = size.replace(/[,_ ]/g, "")
  const [whole = "", fraction = ""] = digits.split(".")
  if (whole.length > form.whole) {
    return { fault: `Write at most ${form.whole} digits before the point` }
  }
  if (fraction.length > form.fraction) {
    return { fault: `Write at most ${form.fraction} digits after the point` }
  }
  return { amount: `${isBelow ? "-" : ""}${digits}` }
}

/** Nanocredits above which the author of an entry is asked once more. */
const LARGE_ENTRY = parseDecimal("1000", CREDITS_FORM.fraction)
/** As much times what the account has, but not below this: an account that is nearly empty is filled up every day. */
const LARGE_SHARE = 10n
const MIN_LARGE = parseDecimal("100", CREDITS_FORM.fraction)

/**
 * Whether an entry is so large that its author is asked once more.
 * @param amount nanocredits, of either sign.
 * @param balance what the account has; an empty one has nothing to compare with.
 */
export function isLargeEntry(amount: bigint, balance: bigint): boolean {
  const size = amount < 0n ? -amount : amount
  if (size > LARGE_ENTRY) return true
  // More than there is cannot be taken out at all.
  const isComparable = balance > 0n && amount > MIN_LARGE
  return isComparable && size > LARGE_SHARE * balance
}

/** Why a multiplier is asked about once more; undefined for a usual one. @param multiplier decimal text. */
export function multiplierDoubt(multiplier: string): string | undefined {
  const [whole = "0", fraction = ""] = multiplier.split(".")
  const isAboveZero = /[1-9]/.test(multiplier)
  if (!isAboveZero) return "With a multiplier of 0 every call costs nothing."
  const hundredths = BigInt(whole || "0")
  const isAbove = hundredths > 100n || (hundredths === 100n && /[1-9]/.test(fraction))
  return isAbove
    ? `With a multiplier of ${multiplier} every call costs ${multiplier} times its price.`
    : undefined
}
