/** Thousands between separators of one kind: `1,500`, `12 000 000.5`. `0,150` is none: it means 0.150. */
export const GROUPED = /^[1-9]\d{0,2}([,_ ])\d{3}(?:\1\d{3})*(?:\.\d+)?$/

/**
 * What to write instead of an amount with a comma, which some read as thousands and some as a decimal
 * point: `write 1.50`. Undefined where a comma is not what is wrong with it.
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

/** The same as the end of a sentence that starts with the amount's name. */
export function commaFault(text: string): string | undefined {
  const advice = commaAdvice(text)
  return advice === undefined
    ? undefined
    : `must not have a comma, which can be read in two ways: ${advice}`
}
