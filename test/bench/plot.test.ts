import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { drawBars } from "../../bench/plot/bars.ts"
import { drawLines, placeLabels } from "../../bench/plot/lines.ts"
import { linearScale, logScale } from "../../bench/plot/scale.ts"

const numbers = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1 })

test("a plot shows all values in order on their scale, with ticks at both ends", () => {
  fc.assert(
    fc.property(numbers, (values) => {
      for (const scale of [logScale(values), linearScale(values)]) {
        const sorted = values.toSorted((left, right) => left - right)
        const positions = sorted.map((value) => scale.position(value))
        expect(positions).toEqual(positions.toSorted((left, right) => left - right))
        expect(positions.at(0)).toBeGreaterThan(-1e-9)
        expect(positions.at(-1)).toBeLessThan(1 + 1e-9)
        expect(scale.position(scale.ticks.at(0) ?? Number.NaN)).toBeCloseTo(0)
        expect(scale.position(scale.ticks.at(-1) ?? Number.NaN)).toBeCloseTo(1)
        expect(scale.ticks.length).toBeLessThan(12)
      }
    }),
  )
  expect(() => logScale([0, 1])).toThrow(RangeError)
  expect(() => linearScale([])).toThrow(RangeError)
  expect(linearScale([0]).position(0)).toBe(0)
})

test("bars in a plot are sorted, have the right length, and are accessible", () => {
  const bars = [
    { name: "litellm", value: 200, lowest: 180, highest: 260 },
    { name: "tollgate", value: 1.5 },
    { name: "bare", value: 1 },
  ]
  const drawn = drawBars({ title: 'A <"title"> & more', unit: "x", bars })
  expect(drawn).toContain(
    'aria-label="A &lt;&quot;title&quot;&gt; &amp; more: bare 1.00x, tollgate 1.50x, litellm 200x"',
  )
  expect(drawn).toContain("prefers-color-scheme: dark")
  expect(drawn).toContain("logarithmic scale")
  const widths = [...drawn.matchAll(/<rect[^>]* width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  )
  expect(widths).toHaveLength(3)
  expect(widths).toEqual(widths.toSorted((left, right) => left - right))
})

test("a plot of bars with similar values has a linear scale that starts at zero", () => {
  const drawn = drawBars({
    title: "near",
    unit: " MB",
    bars: [
      { name: "bare", value: 20 },
      { name: "tollgate", value: 40 },
    ],
  })
  expect(drawn).not.toContain("logarithmic")
  const [half = 0, whole = 0] = [...drawn.matchAll(/<rect[^>]* width="([\d.]+)"/g)].map(
    ([, width]) => Number(width),
  )
  expect(whole / half).toBeCloseTo(2)
})

test("lines in a plot run from left to right, and their labels do not overlap", () => {
  const lines = [
    {
      name: "bare",
      points: [
        [0, 30],
        [300, 31],
        [600, 30],
      ] as const,
    },
    {
      name: "tollgate",
      points: [
        [0, 80],
        [300, 90],
        [600, 31],
      ] as const,
    },
    { name: "nothing", points: [] },
  ]
  const drawn = drawLines({ title: "memory", below: "seconds", lines })
  expect(drawn.match(/<polyline/g)).toHaveLength(2)
  expect(drawn).toContain("at the end bare 30, tollgate 31")
  expect(placeLabels([100, 90, 92, 200])).toEqual([120, 90, 105, 200])
})
