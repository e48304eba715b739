import { expect, test } from "bun:test"
import { bestOf } from "../../console/src/pages/playground/best-of.ts"
import { type ColumnResponses, newResponse } from "../../console/src/pages/playground/exchanges.ts"
import { tokensPerSecond } from "../../console/src/format/numbers.ts"
import { typicalCost } from "../../console/src/pages/models/prices.ts"
import type { Model } from "tollgate-contract/catalog.ts"

function column(
  number: number,
  ...steps: readonly [cost: string | null, ms: number][]
): ColumnResponses {
  return {
    column: number,
    steps: steps.map(([cost, durationMs]) => {
      return { ...newResponse("a/b", null, 0), state: "done", cost, durationMs }
    }),
  }
}

test("the cheapest and the fastest of several responses are determined by exact values", () => {
  const dear = column(1, ["0.000000002", 10], ["0.1", 10])
  const cheap = column(2, ["0.100000001", 900])
  expect(bestOf([dear, cheap])).toEqual({ cheapest: 2, fastest: 1 })
  expect(bestOf([cheap, { ...cheap, column: 3 }])).toEqual({
    cheapest: undefined,
    fastest: undefined,
  })
  expect(bestOf([dear, column(2, [null, 5])])).toEqual({ cheapest: undefined, fastest: 2 })
  expect(bestOf([cheap])).toEqual({ cheapest: undefined, fastest: undefined })
  const running = {
    ...cheap,
    steps: cheap.steps.map((step) => ({ ...step, state: "running" as const })),
  }
  expect(bestOf([dear, running])).toEqual({ cheapest: undefined, fastest: undefined })
})

test("a response has a speed if it took measurable time", () => {
  const facts = { output: 100, first_byte_ms: 500, duration_ms: 1_500 }
  expect(tokensPerSecond(facts)).toBe(100)
  expect(tokensPerSecond({ ...facts, duration_ms: 510 })).toBeUndefined()
  expect(tokensPerSecond({ ...facts, output: 0 })).toBeUndefined()
  expect(tokensPerSecond({ ...facts, first_byte_ms: null })).toBeUndefined()
})

test("models are compared by the exact cost of a typical request", () => {
  const model = { price: { input: "0.1", output: "0.4" }, multiplier: "1.2" } as unknown as Model
  expect(typicalCost(model)).toBe("0.00048")
  expect(typicalCost({ ...model, price: { input: "0.1" } })).toBeUndefined()
  expect(typicalCost({ ...model, price: null })).toBeUndefined()
})
