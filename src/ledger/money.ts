/**
 * Money is a bigint of nanocredits, 10^-9 of a credit. Nothing here is ever a float: decimal text
 * goes in, decimal text comes out.
 */

/** Nanocredits in one credit. */
export const NANOCREDITS = 1_000_000_000n

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/

/**
 * Decimal text as an integer of 10^-places.
 * @throws RangeError when the text is no plain decimal or has more digits than `places`.
 */
export function parseDecimal(text: string, places: number): bigint {
  const match = DECIMAL.exec(text.trim())
  if (!match) throw new RangeError(`'${text}' is not a decimal number such as 12.50`)
  const [, sign = "", whole = "0", fraction = ""] = match
  const digits = fraction.replace(/0+$/, "")
  if (digits.length > places) {
    throw new RangeError(`'${text}' has more than ${places} digits after the point`)
  }
  const value = BigInt(whole + digits.padEnd(places, "0"))
  return sign === "-" ? -value : value
}

/** Credits as decimal text to nanocredits. */
export function parseCredits(text: string): bigint {
  return parseDecimal(text, 9)
}

const ZEROS = "000000000"
const ZERO = 0x30

/** Nanocredits as decimal text in credits, without trailing zeros: `0.0000125`, `10`. */
export function formatCredits(nanocredits: bigint): string {
  if (nanocredits < 0n) return `-${formatCredits(-nanocredits)}`
  const digits = nanocredits.toString()
  const point = digits.length - 9
  const whole = point > 0 ? digits.slice(0, point) : "0"
  const fraction = point > 0 ? digits.slice(point) : ZEROS.slice(digits.length) + digits
  let end = 9
  while (end > 0 && fraction.charCodeAt(end - 1) === ZERO) end--
  return end === 0 ? whole : `${whole}.${fraction.slice(0, end)}`
}

/** Division that rounds up, for non-negative numerators. */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}
