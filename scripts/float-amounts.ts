/**
 * Finds amounts of credits that are converted to floats. The API sends amounts as decimal text; sums of them have to be
 * computed as integers, with `nanos`, because a sum of floats is not exact.
 */
import { globSync, readFileSync } from "node:fs"

/** The names of amounts in documents of the API and in the console. */
const NAME =
  "(?:cost|provider_?[cC]ost|written_?[oO]ff|balance|debt|charged|amount|credits|spent\\w*|held|available|margin)"
/** Text within parentheses, which may contain one level of parentheses. */
const INNER = "(?:[^()]|\\([^()]*\\))*"
const CONVERTED = new RegExp(`\\b(?:Number|parseFloat)\\(${INNER}?\\b${NAME}\\b${INNER}\\)`, "g")
/** `roughCredits` returns a float for the heights of charts, which can be compared and divided, but not added. */
const ADDED = new RegExp(
  `\\broughCredits\\(${INNER}\\)\\s*[-+](?!=)|[-+]=?\\s*roughCredits\\(`,
  "g",
)
/** The file that defines the conversions. */
const EXCEPT = "console/src/format/credits.ts"

/** Returns each line in folders that converts an amount to a float, or adds floats of amounts. */
export function checkFloatAmounts(folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`))
    .filter((path) => path !== EXCEPT)
    .flatMap((path) => floatAmounts(readFileSync(path, "utf8"), path))
}

/** Returns the places in a source at which an amount becomes a float. */
export function floatAmounts(source: string, path: string): string[] {
  return [CONVERTED, ADDED]
    .flatMap((pattern) => [...source.matchAll(pattern)])
    .map(({ index }) => {
      const line = source.slice(0, index).split("\n").length
      return `${path}:${line}: an amount becomes a float; add amounts with nanos`
    })
}
