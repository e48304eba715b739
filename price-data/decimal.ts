import type { Rates } from "./shape.ts"
import { ratesOf } from "./shape.ts"
import { formatDecimal, parseDecimal } from "tollgate-contract/decimal.ts"

/** Number of decimals, which is the ledger's precision. */
const PLACES = 9

/**
 * Returns a decimal as an exact integer of 10^-9.
 * @throws RangeError if the decimal has more digits.
 */
export function nanos(text: string): bigint {
  return parseDecimal(text, PLACES)
}

/** Formats an integer of 10^-9 as the shortest decimal. */
export function fromNanos(value: bigint): string {
  return formatDecimal(value, PLACES)
}

/**
 * Converts a number from a list to decimal text. Rounding to 10^-9 removes the error of the binary float.
 * @throws RangeError when the number is negative or not finite.
 */
export function decimal(value: number): string {
  if (!Number.isFinite(value) || value < 0) throw new RangeError(`not a price: ${value}`)
  return fromNanos(BigInt(Math.round(value * 10 ** PLACES)))
}

/** Whether `left` is more than `right`. */
export function exceeds(left: string, right: string): boolean {
  return nanos(left) > nanos(right)
}

/** Returns the highest of the prices that are not undefined. */
export function highest(...values: (string | undefined)[]): string | undefined {
  let found: string | undefined
  for (const value of values) {
    if (value !== undefined && (found === undefined || exceeds(value, found))) found = value
  }
  return found
}

/**
 * Returns the factor between the standard rates and the rates of a mode. It is the highest factor of any class, so that
 * classes missing in a list are never undercharged. It has six decimals and is never rounded down.
 */
export function factorBetween(usual: Rates, mode: Rates): string | undefined {
  const known: Readonly<Record<string, string>> = ratesOf(usual)
  const ratios = Object.entries(ratesOf(mode)).flatMap(([name, rate]) => {
    const base = Number(known[name] ?? 0)
    return base === 0 ? [] : [Number(rate) / base]
  })
  if (ratios.length === 0) return undefined
  return decimal(Math.ceil(Math.max(...ratios) * 1e6 - 1e-3) / 1e6)
}
