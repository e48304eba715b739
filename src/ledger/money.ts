import { formatDecimal, parseDecimal } from "#contract/decimal.ts"

/** Money is a bigint of nanocredits, which are 10^-9 credits. Its external form is decimal text. */

/** Decimal places of an amount in credits. */
const PLACES = 9

/** Nanocredits in one credit. */
export const NANOCREDITS = 10n ** BigInt(PLACES)

/**
 * Parses credits.
 * @throws RangeError if the text is not a plain decimal or has more than nine decimal places.
 */
export function parseCredits(text: string): bigint {
  return parseDecimal(text, PLACES)
}

/** Formats nanocredits as credits, without trailing zeros: `0.0000125`, `10`. */
export function formatCredits(nanocredits: bigint): string {
  return formatDecimal(nanocredits, PLACES)
}

/** Returns an amount in credits for metrics. Large amounts are rounded. */
export function approximateCredits(nanocredits: bigint): number {
  return Number(nanocredits) / Number(NANOCREDITS)
}

/** Formats a multiplier, which is in millionths. */
export function multiplierText(multiplier: bigint): string {
  return formatCredits(multiplier * 1_000n)
}
