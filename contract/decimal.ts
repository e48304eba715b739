import { withoutTrailing } from "./trailing.ts"

/**
 * Exact decimals. They are parsed from text, computed as integers and formatted as text, and never converted to floats.
 * The gateway, the console and the scripts use these functions.
 */

/** Plain decimal text with all digits preserved: `0.10`, `15`, `0.000001`. */
export type DecimalText = string

/** A decimal: `value` divided by ten to the power of `places`. */
export interface Decimal {
  readonly value: bigint
  readonly places: number
}

const PLAIN = /^(-?)(\d+)(?:\.(\d+))?$/

/**
 * Parses plain decimal text with as few places as possible: `-1.50` becomes -15 with one place.
 * @throws RangeError if the text is not a plain decimal.
 */
export function readDecimal(text: string): Decimal {
  const match = PLAIN.exec(text.trim())
  if (!match) throw new RangeError(`'${text}' is not a decimal number such as 12.50`)
  const [, sign = "", whole = "0", fraction = ""] = match
  const digits = withoutTrailing(fraction, "0")
  const value = BigInt(whole + digits)
  return { value: sign === "-" ? -value : value, places: digits.length }
}

/**
 * Parses plain decimal text as an integer of 10^-places.
 * @throws RangeError if the text is not a plain decimal or has more digits than `places`.
 */
export function parseDecimal(text: string, places: number): bigint {
  const decimal = readDecimal(text)
  if (decimal.places > places) {
    throw new RangeError(`'${text}' has more than ${places} digits after the point`)
  }
  return atPlaces(decimal, places)
}

/**
 * Converts a decimal to an integer of 10^-`wanted`, where `wanted` is at least the decimal's own
 * places.
 */
export function atPlaces({ value, places }: Decimal, wanted: number): bigint {
  return wanted === places ? value : value * 10n ** BigInt(wanted - places)
}

const ZERO = 0x30
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER)

/** Formats an integer of 10^-places as the shortest plain decimal: `0.0000125`, `10`. */
export function formatDecimal(value: bigint, places: number): DecimalText {
  if (value < 0n) return `-${formatDecimal(-value, places)}`
  return value <= MAX_EXACT && places <= MAX_PLACES
    ? formatExact(Number(value), places)
    : formatLong(value, places)
}

/**
 * Maximum number of places at which powers of ten, and their sums with a remainder, are exact as JavaScript numbers.
 */
const MAX_PLACES = 15

/** Does the same as `formatDecimal` with numbers, which are exact in this range and faster than big integers. */
function formatExact(value: number, places: number): DecimalText {
  const unit = 10 ** places
  const rest = value % unit
  const whole = String((value - rest) / unit)
  if (rest === 0) return whole
  const digits = String(unit + rest)
  let end = digits.length
  while (digits.charCodeAt(end - 1) === ZERO) end--
  return `${whole}.${digits.slice(1, end)}`
}

function formatLong(value: bigint, places: number): DecimalText {
  const digits = value.toString().padStart(places + 1, "0")
  const point = digits.length - places
  let end = digits.length
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end--
  return end === point
    ? digits.slice(0, point)
    : `${digits.slice(0, point)}.${digits.slice(point, end)}`
}

/** Multiplies two decimals without rounding. */
export function multiplyDecimals(left: Decimal, right: Decimal): Decimal {
  return { value: left.value * right.value, places: left.places + right.places }
}

/** Divides and rounds up. The numerator must not be negative. */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}

const WITH_EXPONENT = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i

/**
 * Converts a number to plain decimal text with all digits preserved: `1e-7` is `0.0000001`, `0.10`
 * stays `0.10`.
 * @returns undefined if the text is not a decimal number.
 */
export function plainDecimal(text: string): DecimalText | undefined {
  const match = WITH_EXPONENT.exec(text.trim())
  if (!match) return undefined
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match
  if (whole === "" && fraction === "") return undefined
  const shift = Number(exponent)
  const digits = whole + fraction
  const point = whole.length + shift
  const before = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0"
  const after = point < 0 ? "0".repeat(-point) + digits : digits.slice(point)
  const plainWhole = before.replace(/^0+(?=\d)/, "")
  return `${sign === "-" ? "-" : ""}${plainWhole}${after === "" ? "" : `.${after}`}`
}
