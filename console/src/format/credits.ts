import { CREDITS_FORM, readAmount } from "tollgate-contract/amounts.ts"
import { formatDecimal, parseDecimal } from "tollgate-contract/decimal.ts"
import { currentLanguage } from "../languages/text.ts"
import { SEPARATORS } from "./numbers.ts"

const WHOLE = new Intl.NumberFormat(currentLanguage.numbers)

/**
 * Formats credits with thousands separators, at least two decimals and no unnecessary zeros. The amount is never
 * converted to a float, so it stays exact.
 */
export function creditsText(exact: string): string {
  const { sign, whole, fraction } = partsOf(exact)
  return `${sign}${grouped(whole)}${SEPARATORS.decimal}${fraction.padEnd(2, "0")}`
}

interface AmountParts {
  readonly sign: string
  readonly whole: string
  /** The decimals without trailing zeros. */
  readonly fraction: string
}

function partsOf(exact: string): AmountParts {
  const [whole = "0", fraction = ""] = exact.replace(/^[-+]/, "").split(".")
  return { sign: exact.startsWith("-") ? "−" : "", whole, fraction: fraction.replace(/0+$/, "") }
}

function grouped(whole: string): string {
  return WHOLE.format(BigInt(whole))
}

/**
 * Formats credits like `creditsText`, but truncated to `decimals`. Amounts below one keep at least two nonzero digits,
 * so that a small amount does not look like zero.
 */
export function shortCredits(exact: string, decimals = 4): string {
  const { sign, whole, fraction } = partsOf(exact)
  const zeros = /^0+$/.test(whole) ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0
  const cut = fraction.slice(0, Math.max(decimals, zeros === 0 ? 0 : zeros + 2))
  const shown = cut.replace(/0+$/, "").padEnd(2, "0")
  return `${sign}${grouped(whole)}${SEPARATORS.decimal}${shown}`
}

/** Converts to a float, for chart heights and bar widths only. */
export function roughCredits(exact: string): number {
  return Number(exact)
}

/** Returns the used share of a limit, from 0 to 1. */
export function usedShare(limit: string, left: string): number {
  const whole = Number(limit)
  if (!(whole > 0)) return 1
  return Math.min(1, Math.max(0, 1 - Number(left) / whole))
}

/** Returns `limit - left` exactly. Both amounts have at most nine decimals. */
export function spentOf(limit: string, left: string): string {
  return nanosText(nanos(limit) - nanos(left))
}

/** Parses credits as a whole number of nanocredits. */
export function nanos(exact: string): bigint {
  return parseDecimal(exact, CREDITS_FORM.fraction)
}

/** Formats nanocredits as credits. */
export function nanosText(value: bigint): string {
  return formatDecimal(value, CREDITS_FORM.fraction)
}

/** Converts a typed amount to the API's form; undefined if the amount is invalid. `readAmount` returns the reason. */
export function readCredits(typed: string): string | undefined {
  const reading = readAmount(typed)
  return "amount" in reading ? reading.amount : undefined
}
