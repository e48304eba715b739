/** Decimal text, exactly as the operator meant it: `0.10`, `15`, `0.000001`. */
export type DecimalText = string

const NUMBER = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,4}))?$/i

/** Whole digits that still fit the ledger's 64-bit columns of nanocredits. */
const WHOLE_DIGITS = 9

/**
 * The same number as plain decimal text, digit for digit: `1e-7` is `0.0000001`, `0.10` stays `0.10`.
 * It never passes through a float.
 * @returns undefined when the text is no decimal number.
 */
export function plainDecimal(text: string): DecimalText | undefined {
  const match = NUMBER.exec(text.trim())
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

/**
 * Why a plain decimal cannot be an amount, as the end of a sentence that starts with its name.
 * @param places the most digits after the point; trailing zeros do not count.
 * @returns undefined when it can.
 */
export function amountFault(text: DecimalText, places: number): string | undefined {
  const [whole = "", fraction = ""] = text.split(".")
  if (text.startsWith("-")) return "must not be negative"
  if (fraction.replace(/0+$/, "").length > places) {
    return `has more than ${places} digits after the point`
  }
  return whole.length > WHOLE_DIGITS ? `must be below ${10 ** WHOLE_DIGITS}` : undefined
}
