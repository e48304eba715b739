/**
 * Matches thousands with consistent separators, such as `1,500` or `12 000 000.5`. `0,150` does not match, because it
 * means 0.150.
 */
export const GROUPED = /^[1-9]\d{0,2}([,_ ])\d{3}(?:\1\d{3})*(?:\.\d+)?$/

/**
 * Returns advice for an amount with a comma, which can be a thousands separator or a decimal comma: `write 1.50`.
 * Returns undefined if the comma is not the error.
 */
export function commaAdvice(text: string): string | undefined {
  const size = text.trim().replace(/^[-+−]/, "")
  if (!size.includes(",") || !/^[\d.,_\s]+$/.test(size)) return undefined
  if (GROUPED.test(size)) return `write ${size.replaceAll(",", "")}`
  const digits = size.replace(/[_\s]/g, "")
  const point = digits.replace(/[.,](?=.*[.,])/g, "").replace(",", ".")
  const hasOneComma = digits.split(",").length === 2
  return hasOneComma && /^\d+\.\d+$/.test(point)
    ? `write ${point}`
    : "write digits with a point, such as 1.50"
}

/** Returns the advice of `commaAdvice` as the end of a sentence that starts with the amount's name. */
export function commaFault(text: string): string | undefined {
  const advice = commaAdvice(text)
  return advice === undefined
    ? undefined
    : `must not have a comma, which can be read in two ways: ${advice}`
}
