import { t, currentLanguage } from "../languages/text.ts"

/** Names the first items of a list: `a, b and 3 more`. */
export function someOf(names: readonly string[], more: number): string {
  const list = names.join(", ")
  return more > 0 ? t("{names} and {more} more", { names: list, more }) : list
}

/** Joins texts as a sentence does: `a, b, and c`. */
export function listText(parts: readonly string[]): string {
  return new Intl.ListFormat(currentLanguage.numbers, { type: "conjunction" }).format(parts)
}
