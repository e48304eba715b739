import { expect, test } from "bun:test"
import { knownModels } from "../../scripts/known-models.ts"
import type { Facts } from "../../src/catalog/facts.ts"
import { vendors } from "../../src/vendors/index.ts"

const chat = { kind: "chat" as const, price: { input: "1", output: "2" } }
const facts: Facts = {
  date: "2026-11-27",
  generated_from: [],
  services: {},
  vendors: {
    busy: {
      old: { ...chat, priced: "2026-09-30" },
      new: { ...chat, priced: "2026-11-27" },
      newer: { ...chat, priced: "2026-11-20" },
      unpriced: { kind: "chat" },
    },
    own: { model: chat },
  },
}

test("the known-models table lists each provider's models and the age of their prices in days", () => {
  const { table, violations } = knownModels("2026-11-28", facts, [{ id: "own" }, { id: "busy" }])
  expect(table).toEqual([
    "provider  models  unpriced  newest  median  oldest",
    "busy           4         1       1       8      59",
    "own            1         0       -       -       -",
  ])
  expect(violations).toEqual([])
})

test("the known-models table reports providers without models, except servers that operators run", () => {
  const { table, violations } = knownModels("2026-11-28", facts, [
    { id: "empty" },
    { id: "vllm", isSelfHosted: true },
  ])
  expect(violations).toHaveLength(1)
  expect(violations[0]).toStartWith("empty: no model is known")
  expect(table.join("\n")).not.toContain("vllm")
})

test("every built-in provider has known models, except servers that operators run", () => {
  expect(knownModels("2026-11-28").violations).toEqual([])
  const own = [...vendors.values()].filter(({ isSelfHosted }) => isSelfHosted)
  expect(own.map(({ id }) => id).toSorted()).toEqual(
    "litellm llama-cpp lm-studio ollama openai-compatible tollgate vllm".split(" "),
  )
})
