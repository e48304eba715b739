import { CREDITS_FORM, readAmount } from "tollgate-contract/amounts.ts"
import { formatDecimal, parseDecimal } from "tollgate-contract/decimal.ts"

/**
 * Formats credits with thousands separators, at least two decimals and no unnecessary zeros. The amount is never
 * converted to a float, so it stays exact.
 */
export function creditsText(exact: string): string {
  const sign = exact.startsWith("-") ? "−" : ""
  const [whole = "0", fraction = ""] = exact.replace(/^[-+]/, "").split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",")
  const digits = fraction.replace(/0+$/, "").padEnd(2, "0")
  return `${sign}${grouped}.${digits}`
}

/**
 * Formats credits as `creditsText` does, truncated to `decimals`. Amounts below one keep at least
 * two nonzero digits, so that a small amount does not look like zero.
 */
export function shortCredits(exact: string, decimals = 4): string {
  const text = creditsText(exact)
  const [whole = "0", fraction = ""] = text.split(".")
  const zeros = /^−?0$/.test(whole) ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0
  const cut = fraction.slice(0, Math.max(decimals, zeros === 0 ? 0 : zeros + 2))
  return `${whole}.${cut.replace(/0+$/, "").padEnd(2, "0")}`
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
