import { expect, test } from "bun:test"
import fc from "fast-check"
import { axisTicks } from "../../console/src/format/axis-ticks.ts"

test("a chart axis has round steps from zero to its maximum", () => {
  expect(axisTicks(100, true)).toEqual([0, 25, 50, 75, 100])
  expect(axisTicks(3, true)).toEqual([0, 1, 2, 3])
  expect(axisTicks(9, true)).toEqual([0, 5, 10])
  expect(axisTicks(1, false)).toEqual([0, 0.25, 0.5, 0.75, 1])
  expect(axisTicks(0, true).length).toBeGreaterThan(1)
})

test("a chart axis covers every value with at most five steps", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), fc.boolean(), (value, whole) => {
      const highest = whole ? Math.ceil(value) : value
      const ticks = axisTicks(highest, whole)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest * (1 - 1e-8))
      expect(ticks.length).toBeLessThanOrEqual(6)
      if (whole) for (const tick of ticks) expect(Number.isInteger(tick)).toBe(true)
    }),
  )
})
