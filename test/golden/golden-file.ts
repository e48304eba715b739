import { expect } from "bun:test"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { withFixedValues } from "./fixed-values.ts"

const ROOT = new URL("./", import.meta.url)

/** `UPDATE_GOLDEN=1 npm test -- test/golden` writes the files again. */
const IS_UPDATING = process.env["UPDATE_GOLDEN"] === "1"

/** Expects that a file has this text, so that a difference shows as a diff. */
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
 * Expects no file of a removed case or dialect: a file with two dialects in its name comes from a file with only the
 * first.
 */
export function expectNothingLeftOver(folder: string): void {
  const names = listGolden(folder)
  const orphans = names.filter((name) => {
    const [, first, ending] = /^(.*)--.*\.(\w+)$/.exec(name) ?? []
    return first !== undefined && !names.includes(`${first}.${ending}`)
  })
  expect(orphans).toEqual([])
}

/** Expects that the derived files are exactly these, without files of a removed case, pair or dialect. */
export function expectOnly(folder: string, made: readonly string[]): void {
  expect(listGolden(folder).filter((name) => name.includes("--"))).toEqual(made.toSorted())
}

/** The names in a folder, in their order. */
export function listGolden(folder: string): string[] {
  return readdirSync(new URL(folder, ROOT)).toSorted()
}
