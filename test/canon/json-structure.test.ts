import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { isDeeperThan, JsonScanner } from "../../src/canon/json-structure.ts"
import { parseJson } from "../../src/canon/json.ts"
import { threadTime } from "../support/processor-time.ts"

/** Measures the structure of a parsed value. */
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

describe("the JSON structure check", () => {
  test("returns the same counts for any split of the bytes", () => {
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

  test("reads a string of 30 MB quickly", () => {
    const bytes = Buffer.alloc(30 << 20, "QUJD")
    bytes[0] = 0x22
    expect(threadTime(() => new JsonScanner().push(bytes), 500)).toBeLessThan(500)
  })

  test("rejects 200,000 levels of nesting", () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000)
    expect(parseJson(deep)).toBeUndefined()
    expect(parseJson(`{"a":${JSON.stringify(deep)}}`)).toEqual({ a: deep })
    expect(parseJson("[".repeat(500) + "]".repeat(500))).toBeDefined()
  })
  test("rejects too many values or members", () => {
    const list = (count: number) => `[${"0,".repeat(count)}0]`
    expect(parseJson(list(200_000))).toHaveLength(200_001)
    expect(parseJson(list(600_000))).toBeUndefined()
    const members = Array.from({ length: 20_000 }, (_, index) => `"${index}":0`)
    expect(parseJson(`{${members.join()}}`)).toBeUndefined()
    expect(parseJson(`{${members.slice(0, 9_000).join()}}`)).toBeDefined()
  })

  test("accepts an integer of more than 80 digits as a number", () => {
    const digits = "123456789".repeat(100_000)
    expect(parseJson(`[1234567890123456789,${digits}]`)).toEqual([1234567890123456789n, Infinity])
    expect(parseJson(`[${"9".repeat(80)}]`)).toEqual([BigInt("9".repeat(80))])
  })

  test("accepts a long list with one id of many digits quickly", () => {
    const text = `{"id":"chatcmpl-1234567890123456","list":[${"0,".repeat(200_000)}0]}`
    const time = threadTime(() => parseJson(text))
    const plain = threadTime(() => parseJson(text.replace("1234567890123456", "")))
    expect(time).toBeLessThan(Math.max(20, 3 * plain))
  })
})
