import { expect, test } from "bun:test"
import { buildCatalog } from "../../src/catalog/build-catalog.ts"
import facts from "../../src/catalog/facts.json"
import type { Facts } from "../../src/catalog/facts.ts"
import { modelToTry } from "../../src/catalog/model-to-try.ts"
import type { ModelSettings } from "../../src/config/settings.ts"
import { vendors } from "../../src/vendors/index.ts"
import { provider, settings } from "./support.ts"

function suggested(vendor: string, models: Record<string, ModelSettings> = {}): string | undefined {
  const isKnown = Object.keys(models).length === 0
  const { catalog } = buildCatalog({
    settings: settings({ [vendor]: provider(vendor, isKnown) }, models),
    facts: facts as unknown as Facts,
    vendors,
  })
  return modelToTry(catalog.list())?.id
}

test("the suggested first request uses an inexpensive model of the vendor", () => {
  expect(suggested("anthropic")).toStartWith("anthropic/claude-haiku")
  expect(suggested("openai")).toMatch(/^openai\/gpt-.*(nano|mini)/)
  expect(suggested("google")).toMatch(/^google\/gemini-.*flash/)
})

test("the suggested first request prefers other models to free, small, expensive and unpriced models and to groups", () => {
  const models = {
    "openai/a": { price: { input: "9", output: "9" } },
    "openai/b": { price: { input: "0", output: "0" } },
    "openai/c": { price: { input: "1", output: "1" }, context: 4_000 },
    "openai/d": {},
    "openai/e": { price: { input: "2", output: "2" } },
    "auto/f": { members: [{ model: "openai/b", weight: 1 }] },
  }
  expect(suggested("openai", models)).toBe("openai/e")
  expect(suggested("openai", { "openai/b": models["openai/b"] })).toBe("openai/b")
  expect(suggested("openai", { "openai/d": {} })).toBeUndefined()
})
