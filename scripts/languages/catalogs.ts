import { readFileSync } from "node:fs"
import { LANGUAGES } from "../../console/src/languages/languages.ts"
import { differences, type Message } from "./messages.ts"
import { placeholdersOf } from "./placeholders.ts"

export type Catalog = Readonly<Record<string, string>>

/** The tags of the languages that have a catalog. English messages are in the source. */
export const TRANSLATED = LANGUAGES.filter(({ load }) => load !== undefined).map(({ tag }) => tag)

export function catalogPath(tag: string): string {
  return `console/src/languages/${tag}.json`
}

export function readCatalog(tag: string): Catalog {
  return JSON.parse(readFileSync(catalogPath(tag), "utf8")) as Catalog
}

/**
 * Returns a catalog with exactly the given messages, sorted. A message without a translation has an empty text, and the
 * console shows it in English.
 */
export function completed(catalog: Catalog, messages: Iterable<string>): Catalog {
  const sorted = [...messages].toSorted()
  return Object.fromEntries(sorted.map((text) => [text, catalog[text] ?? ""]))
}

/** Formats a catalog with one message per line. */
export function catalogText(catalog: Catalog): string {
  return `${JSON.stringify(catalog, undefined, 2)}\n`
}

/** Returns the faults of a catalog. */
export function catalogFaults(
  tag: string,
  catalog: Catalog,
  messages: ReadonlyMap<string, Message>,
): string[] {
  const path = catalogPath(tag)
  const missing = [...messages.keys()].filter((text) => (catalog[text] ?? "") === "")
  const unused = Object.keys(catalog).filter((text) => !messages.has(text))
  const faulty = Object.entries(catalog).flatMap(([text, translation]) => {
    const names = messages.get(text)?.names
    const fault = translation === "" ? undefined : translationFault(text, translation, names, tag)
    return fault === undefined ? [] : [`${path}: ${quoted(text)}: ${fault}`]
  })
  return [
    ...missing.map((text) => `${path}: ${quoted(text)} is not translated`),
    ...unused.map(
      (text) => `${path}: ${quoted(text)} is not used; \`npm run languages\` removes it`,
    ),
    ...faulty,
  ]
}

function translationFault(
  text: string,
  translation: string,
  names: readonly string[] | undefined,
  tag: string,
): string | undefined {
  if (translation.trim() !== translation && text.trim() === text) {
    return "the translation begins or ends with a space"
  }
  if (names === undefined) return undefined
  const found = placeholdersOf(translation, tag)
  if (typeof found === "string") return `the translation is not valid: ${found}`
  const unequal = differences(names, found)
  return unequal.length === 0
    ? undefined
    : `the translation has other values or tags: ${unequal.join(", ")}`
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text)
}
