import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { nearestNames } from "../../src/catalog/nearest-names.ts"
import { threadTime } from "../support/processor-time.ts"
import { simpleDistance } from "../support/simple-distance.ts"

const ids = [
  "openai/gpt-4o",
  "openai/gpt-4o-mini",
  "openai/gpt-4.1",
  "openrouter/openai/gpt-4o",
  "groq/llama-3.3-70b-versatile",
  "deepinfra/deepseek-ai/DeepSeek-V3",
]

describe("nearestNames", () => {
  test.each([
    ["gpt-4o", ["openai/gpt-4o", "openrouter/openai/gpt-4o", "openai/gpt-4.1"]],
    ["openai/gpt4o", ["openai/gpt-4o", "openrouter/openai/gpt-4o"]],
    ["deepseek-v3", ["deepinfra/deepseek-ai/DeepSeek-V3"]],
    ["groq/lama-3.3-70b-versatile", ["groq/llama-3.3-70b-versatile"]],
    ["openai/gpt-4o-mini-2", ["openai/gpt-4o-mini"]],
    ["nothing/like/it", []],
    ["", []],
  ])("finds %p", (wanted, expected) => {
    expect(nearestNames(wanted, ids, 3).slice(0, expected.length || 3)).toEqual(expected)
  })

  test("never throws, and returns at most the requested number of existing names", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40, unit: "binary" }), (wanted) => {
        const found = nearestNames(wanted, ids, 3)
        expect(found.length).toBeLessThanOrEqual(3)
        for (const id of found) expect(ids).toContain(id)
      }),
    )
  })

  test("returns the same names as a full edit-distance calculation", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 16 })
    fc.assert(
      fc.property(letters, letters, (wanted, name) => {
        const limit = Math.min(8, Math.max(2, Math.ceil(wanted.length / 4)))
        const isNear =
          simpleDistance(wanted, name) <= limit || simpleDistance(wanted, `p/${name}`) <= limit
        expect(nearestNames(wanted, [`p/${name}`], 3)).toEqual(isNear ? [`p/${name}`] : [])
      }),
    )
  })

  test("finds the same names in a long list as a comparison with each name", () => {
    const names = fc.string({ unit: fc.constantFrom("a", "b", "/"), minLength: 1, maxLength: 12 })
    const many = fc.uniqueArray(names, { minLength: 4, maxLength: 30 })
    fc.assert(
      fc.property(names, many, (wanted, all) => {
        const alone = all.filter((id) => nearestNames(wanted, [id], 1).length === 1)
        const best = nearestNames(wanted, alone, alone.length).slice(0, 3)
        expect(nearestNames(wanted, all, 3)).toEqual(best)
      }),
    )
  })

  test("searches 2,000 models quickly for hostile input", () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `p/${"ab".repeat(127)}${index}`)
    const alike = Array.from({ length: 2_000 }, (_, index) => `p${index % 30}/a-model-${index}-v1`)
    const taken = threadTime(() => {
      nearestNames("p3/a-model-12-v1x", alike, 3)
      nearestNames("a".repeat(256), many, 3)
      nearestNames("ba".repeat(128), many, 3)
      nearestNames("/".repeat(256), many, 3)
    }, 1_000)
    // The limit is generous. Computing a complete table for each pair would take seconds.
    expect(taken).toBeLessThan(1_000)
  })
})
