import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { isDeeperThan, JsonScanner } from "../../src/canon/json-structure.ts"
import { parseJson } from "../../src/canon/json.ts"
import { processorTime } from "../support/processor-time.ts"

/** What a parsed value really is made of. */
function measured(value: unknown): { depth: number; openings: number; members: number } {
  if (typeof value !== "object" || value === null) return { depth: 0, openings: 0, members: 0 }
  const inside = Object.values(value).map(measured)
  return {
    depth: 1 + Math.max(0, ...inside.map(({ depth }) => depth)),
    openings: 1 + inside.reduce((sum, { openings }) => sum + openings, 0),
    members:
      (Array.isArray(value) ? 0 : Object.keys(value).length) +
      inside.reduce((sum, { members }) => sum + members, 0),
  }
}

const awkward = fc.oneof(
  fc.jsonValue({ maxDepth: 6 }),
  fc.array(fc.stringMatching(/^[\\"{}[\],:a]{0,90}$/), { maxLength: 5 }),
)

describe("JSON that is looked at before it is parsed", () => {
  test("is seen as it is, however its bytes are cut", () => {
    fc.assert(
      fc.property(awkward, fc.array(fc.nat(300), { maxLength: 8 }), (value, cuts) => {
        const bytes = Buffer.from(JSON.stringify(value))
        const scanner = new JsonScanner()
        let from = 0
        for (const cut of cuts.toSorted((left, right) => left - right)) {
          scanner.push(bytes.subarray(from, cut))
          from = Math.max(from, cut)
        }
        scanner.push(bytes.subarray(from))
        const { depth, openings, members } = measured(JSON.parse(bytes.toString()))
        expect(scanner.deepest).toBe(depth)
        expect(scanner.values).toBe(openings + members)
        for (const levels of [0, 1, 2, 5]) {
          expect(isDeeperThan(bytes.toString(), levels)).toBe(depth > levels)
        }
      }),
      { numRuns: 500 },
    )
  })

  test("a string of 30 MB costs next to nothing to look through", () => {
    const bytes = Buffer.alloc(30 << 20, "QUJD")
    bytes[0] = 0x22
    expect(processorTime(() => new JsonScanner().push(bytes))).toBeLessThan(500)
  })

  test("what is 200,000 levels deep is not parsed", () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000)
    expect(parseJson(deep)).toBeUndefined()
    expect(parseJson(`{"a":${JSON.stringify(deep)}}`)).toEqual({ a: deep })
    expect(parseJson("[".repeat(500) + "]".repeat(500))).toBeDefined()
  })
})
