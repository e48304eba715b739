import { Fault, readingText } from "./reading.ts"

export const ALIAS_PATTERN = /^[^\s\p{C},=]{1,200}$/u

export const MODEL_ID_PATTERN = /^[a-z0-9][a-z0-9-]*\/[^\s\p{C}]+$/u

/** Reads aliases with their model ids from one line: `gpt-4o=openai/gpt-5.4, fast=groq/llama`. */
export function readAliases(text: string): Record<string, string> | Fault {
  const table = new Map<string, string>()
  for (const pair of text.split(",")) {
    const end = pair.indexOf("=")
    const alias = pair.slice(0, Math.max(0, end)).trim()
    const id = pair.slice(end + 1).trim()
    if (!ALIAS_PATTERN.test(alias) || !MODEL_ID_PATTERN.test(id)) {
      return new Fault(
        "must be names and models such as gpt-4o=openai/gpt-5.4, with commas between",
      )
    }
    if (table.has(alias)) return new Fault(`has the name '${alias}' twice. Keep one of the two`)
    table.set(alias, id)
  }
  return Object.fromEntries(table)
}

/** Reads aliases in this form, on one line, from a value in the settings. */
export function aliasText() {
  return readingText(readAliases)
}

/** Formats aliases on one line; null if there are none. */
export function aliasLine(aliases: Readonly<Record<string, string>> | undefined): string | null {
  const pairs = Object.entries(aliases ?? {}).map(([alias, id]) => `${alias}=${id}`)
  return pairs.length === 0 ? null : pairs.join(", ")
}
