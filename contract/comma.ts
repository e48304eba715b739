/**
 * Matches thousands with consistent separators, such as `1,500` or `12 000 000.5`. `0,150` does not match, because it
 * means 0.150.
 */
export const GROUPED = /^[1-9]\d{0,2}([,_ ])\d{3}(?:\1\d{3})*(?:\.\d+)?$/

/**
 * Returns the likely meaning of an amount with a comma, which can be a thousands separator or a decimal comma: `1.50`.
 * Returns null if the meaning is unclear, and undefined if the comma is not the error.
 */
export function withoutComma(text: string): string | null | undefined {
  const size = text.trim().replace(/^[-+−]/, "")
  if (!size.includes(",") || !/^[\d.,_\s]+$/.test(size)) return undefined
  if (GROUPED.test(size)) return size.replaceAll(",", "")
  const digits = size.replace(/[_\s]/g, "")
  const point = digits.replace(/[.,](?=.*[.,])/g, "").replace(",", ".")
  const hasOneComma = digits.split(",").length === 2
  return hasOneComma && /^\d+\.\d+$/.test(point) ? point : null
}

/** Returns the error of an amount with a comma, as the end of a sentence that starts with the amount's name. */
export function commaFault(text: string): string | undefined {
  const amount = withoutComma(text)
  if (amount === undefined) return undefined
  const advice = amount === null ? "digits with a point, such as 1.50" : amount
  return `must not have a comma, which can be read in two ways: write ${advice}`
}
