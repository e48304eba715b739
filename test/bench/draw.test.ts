import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { Draw } from "../../bench/race/draw.ts"

const NAMES = ["bare", "nginx", "portkey", "tollgate"]

test("the bench draws the same order for the same seed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (seed) => {
      const [first, again] = [new Draw(seed), new Draw(seed)]
      for (let round = 0; round < 5; round++) {
        const order = first.shuffle(NAMES)
        expect(again.shuffle(NAMES)).toEqual(order)
        expect(order.toSorted()).toEqual(NAMES.toSorted())
      }
    }),
  )
})

test("each bench subject runs first equally often", () => {
  const draw = new Draw(1)
  const first = new Map<string, number>()
  for (let round = 0; round < 8_000; round++) {
    const [name = ""] = draw.shuffle(NAMES)
    first.set(name, (first.get(name) ?? 0) + 1)
  }
  for (const name of NAMES) {
    expect(first.get(name)).toBeGreaterThan(1_850)
    expect(first.get(name)).toBeLessThan(2_150)
  }
})
