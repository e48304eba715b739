/**
 * Finds expectations about a promise that are not awaited. Their types are not promises, so the linter cannot find
 * them.
 */
import { globSync, readFileSync } from "node:fs"

const OF_A_PROMISE = /\)\s*\.(?:not\s*\.)?(?:rejects|resolves)\b/g

/**
 * Returns each `expect(…).rejects` and `.resolves` below a folder that is neither awaited, nor returned, nor the value
 * of a function.
 */
export function checkAwaitedExpects(folder: string): string[] {
  return globSync(`${folder}/**/*.ts`, {
    exclude: (path) => path.includes("node_modules"),
  }).flatMap((path) => {
    const source = readFileSync(path, "utf8")
    return [...source.matchAll(OF_A_PROMISE)]
      .map(({ index }) => source.slice(0, openingOf(source, index)))
      .filter(
        (before) => before.endsWith("expect") && !/(?:await|return|=>)\s+expect$/.test(before),
      )
      .map((before) => `${path}:${before.split("\n").length}: this expectation is not awaited`)
  })
}

/** Returns the position of the opening parenthesis for a closing one. */
function openingOf(source: string, closing: number): number {
  let depth = 0
  for (let at = closing; at > 0; at--) {
    if (source[at] === ")") depth++
    if (source[at] === "(" && --depth === 0) return at
  }
  return 0
}
