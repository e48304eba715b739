import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { editDistance } from "../../src/config/edit-distance.ts"
import { simpleDistance } from "../support/simple-distance.ts"

test("the edit distance equals a simple reference implementation, up to the limit", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 14 })
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 9 }), (left, right, limit) => {
      const expected = Math.min(simpleDistance(left, right), limit + 1)
      expect(editDistance(left, right, limit)).toBe(expected)
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  ["", "", 0],
  ["port", "prot", 1],
  ["port", "port", 0],
  ["port", "", 4],
  ["kitten", "sitting", 3],
  ["gpt-4o", "gtp-4o", 1],
])("the edit distance between '%s' and '%s' is %i", (left, right, distance) => {
  expect(editDistance(left, right, 8)).toBe(distance)
  expect(editDistance(right, left, 8)).toBe(distance)
})
