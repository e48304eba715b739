import { formatDecimal, parseDecimal } from "#contract/decimal.ts"

/** Money is a bigint of nanocredits, 10^-9 of a credit: decimal text goes in, decimal text comes out. */

/** Digits of credits after the point. */
const PLACES = 9

/** Nanocredits in one credit. */
export const NANOCREDITS = 10n ** BigInt(PLACES)

/**
 * Credits as decimal text to nanocredits.
 * @throws RangeError when the text is no plain decimal or has more than nine digits after the point.
 */
export function parseCredits(text: string): bigint {
  return parseDecimal(text, PLACES)
}

/** Nanocredits as decimal text in credits, without trailing zeros: `0.0000125`, `10`. */
export function formatCredits(nanocredits: bigint): string {
  return formatDecimal(nanocredits, PLACES)
}

/** A multiplier in millionths as decimal text. */
export function multiplierText(multiplier: bigint): string {
  return formatCredits(multiplier * 1_000n)
}
