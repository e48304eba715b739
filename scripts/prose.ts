/**
 * Finds constructions and words that make text hard to read, in comments, constants, messages, test names and pages.
 * `bun scripts/prose.ts PATH...` lists them for files and folders. `--lower` lowers the limits of folders whose text
 * has improved.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readRepository } from "./prose/repository.ts"
import { checkSections, type Limit, lineOf, lowerLimits } from "./prose/sections.ts"

const LIMITS = "scripts/prose/limits.json"

/** Returns the sections of text that exceed their limits, with the phrases to reword, one readable line each. */
export function checkProse(root = "."): string[] {
  return checkSections(readRepository(root), readLimits(root))
}

function readLimits(root: string): Limit[] {
  return JSON.parse(readFileSync(join(root, LIMITS), "utf8"))
}

/** Writes one row per line, so that changes to different folders can be merged. */
function textOf(limits: readonly Limit[]): string {
  const rows = limits.map(
    ({ folder, kind, max }) => `  { "folder": "${folder}", "kind": "${kind}", "max": ${max} }`,
  )
  return rows.length === 0 ? "[]\n" : `[\n${rows.join(",\n")}\n]\n`
}

if (import.meta.main) {
  const words = process.argv.slice(2)
  const readings = readRepository()
  if (words.includes("--lower")) {
    writeFileSync(LIMITS, textOf(lowerLimits(readings, readLimits("."))))
  } else {
    for (const { path, findings } of readings) {
      if (!words.some((word) => path === word || path.startsWith(`${word.replace(/\/$/, "")}/`)))
        continue
      for (const finding of findings) console.log(lineOf(finding))
    }
  }
}
