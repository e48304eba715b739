import { CREDITS_FORM, readAmount } from "tollgate-contract/amounts.ts"
import { formatDecimal, parseDecimal } from "tollgate-contract/decimal.ts"

/**
 * Credits as people read them: grouped by thousands, at least two decimals and no further zeros. The text
 * of the API is exact and stays so: no digit goes through a float.
 */
export function creditsText(exact: string): string {
  const sign = exact.startsWith("-") ? "−" : ""
  const [whole = "0", fraction = ""] = exact.replace(/^[-+]/, "").split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",")
  const digits = fraction.replace(/0+$/, "").padEnd(2, "0")
  return `${sign}${grouped}.${digits}`
}

/**
 * As `creditsText`, cut to so many decimals: for places where the rest does not matter. Of an amount below
 * one, at least two digits that are no zeros stay, so that nothing small looks like nothing.
 */
export function shortCredits(exact: string, decimals = 4): string {
  const text = creditsText(exact)
  const [whole = "0", fraction = ""] = text.split(".")
  const zeros = /^−?0$/.test(whole) ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0
  const cut = fraction.slice(0, Math.max(decimals, zeros === 0 ? 0 : zeros + 2))
  return `${whole}.${cut.replace(/0+$/, "").padEnd(2, "0")}`
}

/** For heights of charts and widths of bars only. */
export function roughCredits(exact: string): number {
  return Number(exact)
}

/** The share of a limit that is used, from 0 to 1, for a bar. */
export function usedShare(limit: string, left: string): number {
  const whole = Number(limit)
  if (!(whole > 0)) return 1
  return Math.min(1, Math.max(0, 1 - Number(left) / whole))
}

/** `limit - left`, exactly. Both have at most nine decimals. */
export function spentOf(limit: string, left: string): string {
  return nanosText(nanos(limit) - nanos(left))
}

/** Text of credits as a whole number of nanocredits. */
export function nanos(exact: string): bigint {
  return parseDecimal(exact, CREDITS_FORM.fraction)
}

/** A whole number of nanocredits as text of credits. */
export function nanosText(value: bigint): string {
  return formatDecimal(value, CREDITS_FORM.fraction)
}

/** What a person types as an amount, as the API takes it; undefined when it is none. `readAmount` says why. */
export function readCredits(typed: string): string | undefined {
  const reading = readAmount(typed)
  return "amount" in reading ? reading.amount : undefined
}
