/**
 * Writes the catalogs of the console's languages with exactly the messages that the console uses. New messages have an
 * empty translation.
 */
import { writeFileSync } from "node:fs"
import {
  catalogFaults,
  catalogPath,
  catalogText,
  completed,
  readCatalog,
  TRANSLATED,
} from "./languages/catalogs.ts"
import { findMessages } from "./languages/messages.ts"
import { textOutsideCatalog } from "./languages/outside.ts"

if (import.meta.main) writeCatalogs()

function writeCatalogs(): void {
  const { messages, violations } = findMessages()
  for (const violation of violations) console.error(violation)
  for (const tag of TRANSLATED) {
    const catalog = completed(readCatalog(tag), messages.keys())
    writeFileSync(catalogPath(tag), catalogText(catalog))
    const open = Object.values(catalog).filter((text) => text === "").length
    console.log(`${catalogPath(tag)}: ${messages.size} messages, ${open} not translated`)
  }
}

/** Returns the texts of the console that are not translated into every language. */
export function checkLanguages(): string[] {
  const { messages, violations } = findMessages()
  return [
    ...textOutsideCatalog(),
    ...violations,
    ...TRANSLATED.flatMap((tag) => catalogFaults(tag, readCatalog(tag), messages)),
  ]
}
