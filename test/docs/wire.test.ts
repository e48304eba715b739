import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const FOLDER = join(import.meta.dir, "../../docs/contribute/wire")
const FACT = /^### <a id="f(\d+)"><\/a>(\d+)\. \S/

describe("facts about wire formats", () => {
  for (const name of readdirSync(FOLDER)) {
    const facts = factsOf(readFileSync(join(FOLDER, name), "utf8"))

    test(`have unique numbers, which are also their anchors: ${name}`, () => {
      const numbers = facts.map(([heading = ""]) => FACT.exec(heading)?.slice(1))
      for (const pair of numbers) expect(pair?.[0]).toBe(pair?.[1] ?? "none")
      expect(new Set(numbers.map(String)).size).toBe(facts.length)
    })

    test(`have a source: ${name}`, () => {
      const without = facts.filter((lines) => !lines.some((line) => /^Source:( |$)/.test(line)))
      expect(without.map(([heading]) => heading)).toEqual([])
    })
  }
})

/** Returns the lines of each fact. The first line is its heading. */
function factsOf(page: string): string[][] {
  const facts: string[][] = []
  for (const line of page.split("\n")) {
    if (line.startsWith("### ")) facts.push([line])
    else facts.at(-1)?.push(line)
  }
  return facts
}
