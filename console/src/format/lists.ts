import { t, currentLanguage } from "../languages/text.ts"

const LISTS = new Intl.ListFormat(currentLanguage.numbers, { type: "conjunction" })
/** The separator of a list: a comma and a space, except in Chinese and Japanese. */
const SEPARATOR = LISTS.formatToParts(["a", "b", "c"])[1]?.value ?? ", "

/** Joins texts for a table: `a, b, c`. */
export function joined(parts: readonly string[]): string {
  return parts.join(SEPARATOR)
}

/** Joins texts for a sentence: `a, b, and c`. */
export function listText(parts: readonly string[]): string {
  return LISTS.format(parts)
}

/** Names the first items of a list: `a, b and 3 more`. */
export function someOf(names: readonly string[], more: number): string {
  const list = joined(names)
  return more > 0 ? t("{names} and {more} more", { names: list, more }) : list
}
