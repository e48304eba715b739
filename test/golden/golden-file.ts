import { expect } from "bun:test"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { withFixedValues } from "./fixed-values.ts"

const ROOT = new URL("./", import.meta.url)

/** `UPDATE_GOLDEN=1 npm test -- test/golden` updates the files. */
const IS_UPDATING = process.env["UPDATE_GOLDEN"] === "1"

/** Asserts that a file contains this text. A failure shows the difference. */
export function expectGolden(path: string, text: string): void {
  const actual = withFixedValues(text)
  if (IS_UPDATING) writeFileSync(new URL(path, ROOT), actual)
  expect(actual).toBe(readGolden(path))
}

export function readGolden(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8")
}

export function hasGolden(path: string): boolean {
  return existsSync(new URL(path, ROOT))
}

/**
 * Asserts that there are no files of a removed case or dialect. A file with two dialects in its name is derived from a
 * file with only the first dialect.
 */
export function expectNothingLeftOver(folder: string): void {
  const names = listGolden(folder)
  const orphans = names.filter((name) => {
    const [, first, ending] = /^(.*)--.*\.(\w+)$/.exec(name) ?? []
    return first !== undefined && !names.includes(`${first}.${ending}`)
  })
  expect(orphans).toEqual([])
}

/**
 * Asserts that the derived files are exactly the given files. No file of a removed case, pair or dialect may remain.
 */
export function expectOnly(folder: string, made: readonly string[]): void {
  expect(listGolden(folder).filter((name) => name.includes("--"))).toEqual(made.toSorted())
}

/** Returns the sorted names of the files in a folder. */
export function listGolden(folder: string): string[] {
  return readdirSync(new URL(folder, ROOT)).toSorted()
}
