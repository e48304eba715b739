import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { median, quantile, spreadOf } from "../../bench/statistics.ts"

const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 })

test("the median has half of the values below it and half above it", () => {
  fc.assert(
    fc.property(values, (numbers) => {
      const middle = median(numbers)
      const below = numbers.filter((value) => value <= middle + 1e-9).length
      const above = numbers.filter((value) => value >= middle - 1e-9).length
      expect(Math.min(below, above) * 2).toBeGreaterThanOrEqual(numbers.length)
    }),
  )
})

test("a quantile is one of the values, and a higher quantile is never lower", () => {
  fc.assert(
    fc.property(values, (numbers) => {
      const found = [0, 0.5, 0.99, 1].map((share) => quantile(numbers, share))
      expect(found.every((value) => numbers.includes(value))).toBe(true)
      expect(found).toEqual(found.toSorted((left, right) => left - right))
    }),
  )
  expect(
    quantile(
      Array.from({ length: 100 }, (_, index) => index),
      0.99,
    ),
  ).toBe(99)
})

test("an empty list has no median", () => {
  expect(() => median([])).toThrow(RangeError)
  expect(() => quantile([], 0.5)).toThrow(RangeError)
  expect(() => spreadOf([])).toThrow(RangeError)
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, lowest: 1, highest: 3 })
})
