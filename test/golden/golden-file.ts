import { expect } from "bun:test"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { withFixedValues } from "./fixed-values.ts"

const ROOT = new URL("./", import.meta.url)

/** `UPDATE_GOLDEN=1 npm test -- test/golden` writes the files again. */
const IS_UPDATING = process.env["UPDATE_GOLDEN"] === "1"

/** Compares a text with its golden file, after ids and times are replaced by fixed values. */
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
 * No file is left of a case or a dialect that is gone: one with two dialects in its name comes from
 * another with the first of them alone.
 */
export function expectNothingLeftOver(folder: string): void {
  const names = listGolden(folder)
  const orphans = names.filter((name) => {
    const [, first, ending] = /^(.*)--.*\.(\w+)$/.exec(name) ?? []
    return first !== undefined && !names.includes(`${first}.${ending}`)
  })
  expect(orphans).toEqual([])
}

/** Checks that the folder has no golden file of a removed case, pair or dialect. */
export function expectOnly(folder: string, made: readonly string[]): void {
  expect(listGolden(folder).filter((name) => name.includes("--"))).toEqual(made.toSorted())
}

/** The names in a folder, in their order. */
export function listGolden(folder: string): string[] {
  return readdirSync(new URL(folder, ROOT)).toSorted()
}
