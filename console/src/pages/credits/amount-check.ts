import { readCredits } from "../../format/credits.ts"

/** What is wrong with an amount that has to be above zero; null when nothing is. */
export function checkPositive(value: string): string | null {
  const read = readCredits(value)
  const isFine = read !== undefined && !read.startsWith("-") && /[1-9]/.test(read)
  return isFine ? null : "Credits above zero, such as 12.50"
}

/** What is wrong with an amount that may be below zero, but not zero. */
export function checkSigned(value: string): string | null {
  const read = readCredits(value)
  return read !== undefined && /[1-9]/.test(read) ? null : "Credits, such as 12.50 or -3"
}
