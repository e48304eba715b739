import { describe, expect, test } from "bun:test"
import { buildCatalog } from "../../src/catalog/build-catalog.ts"
import type { Facts, ModelFacts } from "../../src/catalog/facts.ts"
import type { Settings } from "../../src/config/settings.ts"
import { newSecret } from "../../src/keys/secret.ts"
import { vendors } from "../../src/vendors/index.ts"
import { familyFacts, nameParts } from "../../src/catalog/unknown-models.ts"
import { provider, settings } from "./support.ts"

const chat = (price: object, more: Partial<ModelFacts> = {}): ModelFacts => ({
  kind: "chat",
  price: price as never,
  ...more,
})

const OPENAI = {
  "gpt-5": chat({ input: "1", output: "10" }, { context: 400, max_output: 100, owner: "openai" }),
  "gpt-5.4": chat({
    input: "2",
    cached_input: "0.2",
    output: "8",
    tiers: [{ above: 200, input: "4" }],
    modes: { priority: "2" },
  }),
  "gpt-5.4-2026-03-05": chat({ input: "2", output: "8" }),
  "gpt-5-mini": chat({ input: "0.1", output: "0.4" }),
  "gpt-4": chat({ input: "30", output: "60" }),
  o3: chat({ input: "2", output: "8" }),
  "text-embedding-3-small": { kind: "embedding", price: { input: "0.02" } },
} satisfies Record<string, ModelFacts>

const FACTS: Facts = { generated_from: [], vendors: { openai: OPENAI } }

function build(rule: Settings["unknownModels"], more: Partial<Settings> = {}) {
  const base = settings({ openai: provider("openai"), mine: provider("ollama") })
  const written = { ...base, ...(rule && { unknownModels: rule }), ...more }
  return buildCatalog({ settings: written, facts: FACTS, vendors })
}

describe("model families", () => {
  test.each([
    ["gpt-5.4-mini", "gpt mini", [5, 4]],
    ["claude-opus-4-8", "claude opus", [4, 8]],
    ["claude-sonnet-4-5-20250929", "claude sonnet", [4, 5]],
    ["o3-mini", "o mini", [3]],
    ["gpt-4o", "gpt o", [4]],
    ["us.anthropic.claude-opus-5", "usanthropicclaude opus", [5]],
  ])("consist of the parts of the name %s", (name, family, version) => {
    expect(nameParts(name)).toMatchObject({ family, version })
  })

  test("price a newer model at the family's highest price of each class", () => {
    expect(familyFacts(OPENAI, "gpt-6")).toEqual({
      kind: "chat",
      context: 400,
      max_output: 100,
      price: {
        input: "30",
        cached_input: "0.2",
        output: "60",
        tiers: [{ above: 200, input: "30", cached_input: "0.2", output: "60" }],
        modes: { priority: "2" },
      },
    })
    expect(familyFacts(OPENAI, "gpt-5.5-mini")?.price).toEqual({ input: "0.1", output: "0.4" })
    expect(familyFacts(OPENAI, "text-embedding-4-small")).toMatchObject({ kind: "embedding" })
  })

  test("price a newer model at the family's highest price of all periods", () => {
    const later = { from: "2031-01-01", output: "9", modes: { fast: "6" } }
    const price = { input: "1", output: "4", modes: { fast: "3" } }
    const models = {
      "a-1": chat({ ...price, periods: [later] }),
      "a-2": chat({
        input: "0.5",
        output: "3",
        periods: [{ name: "peak", days: ["mon"], input: "2" }],
      }),
    }
    expect(familyFacts(models, "a-3")?.price).toEqual({
      input: "2",
      output: "9",
      modes: { fast: "6" },
    })
  })

  test("have no price for older models, which may have been more expensive", () => {
    for (const name of [
      "gpt-4",
      "gpt-5.3",
      "gpt-5.4",
      "gpt-4-32k",
      "o1",
      "gpt-6-pro",
      "gpt",
      "42",
    ]) {
      expect([name, familyFacts(OPENAI, name)]).toEqual([name, undefined])
    }
  })
})

describe("unknown models", () => {
  test("cannot be called if unknown_models is not set", () => {
    const { catalog } = build(undefined)
    expect(() => catalog.require("openai/gpt-6", "chat")).toThrow("is not known")
  })

  test("resolve by id or by the vendor's model name if unknown_models is `family`, and are not listed", () => {
    const { catalog } = build("family")
    const model = catalog.require("openai/gpt-6", "chat")
    expect(model).toMatchObject({ id: "openai/gpt-6", context: 400 })
    expect(model.deployments).toMatchObject([{ provider: "openai", upstreamModel: "gpt-6" }])
    expect(model.deployments[0]?.price?.rates.output).toBe(60_000_000_000n)
    expect(catalog.require("gpt-6", "chat").id).toBe("openai/gpt-6")
    expect(catalog.list().map(({ id }) => id)).not.toContain("openai/gpt-6")
    expect(() => catalog.require("openai/gpt-6", "embedding")).toThrow("is of kind chat")
    // The same object is returned each time, so the price card is also the same.
    expect(catalog.require("openai/gpt-6", "chat")).toBe(model)
  })

  test("require the key's access to the model, and do not affect known models", () => {
    const { catalog } = build("family")
    const rights = { allows: (id: string) => id === "openai/gpt-5" }
    expect(() => catalog.require("gpt-6", "chat", rights)).toThrow("may not call")
    expect(catalog.require("gpt-5.4-2031-01-01", "chat").id).toBe("openai/gpt-5.4")
  })

  test("have the configured price at all providers", () => {
    const { catalog, warnings } = build({ price: { input: "5", output: "50" } })
    expect(warnings).toEqual([])
    expect(catalog.require("mine/anything", "chat").deployments[0]?.price?.rates.output).toBe(
      50_000_000_000n,
    )
    expect(catalog.require("openai/gpt-6-pro", "chat")).toBeDefined()
    expect(() => catalog.require("nobody/gpt-6", "chat")).toThrow("does not exist")
    expect(() => catalog.require("whatever", "chat")).toThrow("does not exist")
  })

  test("cause a warning and an error if the configured price has no output price", () => {
    const { catalog, warnings } = build({ price: { input: "5" } })
    expect(warnings).toEqual([
      expect.stringContaining("unknown_models is not used: its price has no"),
    ])
    expect(() => catalog.require("openai/gpt-7", "chat")).toThrow("does not exist")
  })

  test("cannot have invalid names, and only a limited number stays in memory", () => {
    const { catalog } = build({ price: { input: "5", output: "5" } })
    for (const name of [
      `openai/${"a".repeat(300)}`,
      "openai/a b",
      `openai/${newSecret()}`,
      "sk-proj-abcdefghijklmnopqrstuvwxyz",
      "openai/\n",
      "__proto__/x",
      "constructor",
    ]) {
      expect(() => catalog.require(name, "chat")).toThrow("does not exist")
    }
    const first = catalog.require("openai/x", "chat")
    for (let index = 0; index < 600; index++) catalog.resolve(`openai/x-${index}`)
    expect(catalog.require("openai/x", "chat")).not.toBe(first)
  })

  test("can be the target of an alias", () => {
    const { catalog, warnings } = build("family", { aliases: { best: "openai/gpt-6" } })
    expect(warnings).toEqual([])
    expect(catalog.require("best", "chat").deployments[0]?.upstreamModel).toBe("gpt-6")
  })

  test("cannot be called at a provider without known models", () => {
    const providers = { openai: provider("openai", false) }
    const { catalog } = build("family", { providers })
    expect(() => catalog.require("openai/gpt-6", "chat")).toThrow("does not exist")
  })
})

describe("a model newer than the price list, without unknown_models", () => {
  const { catalog } = build(undefined)
  const rejection = (name: string): string => {
    try {
      catalog.require(name, "chat")
      return "none"
    } catch (error) {
      return (error as Error).message
    }
  }

  test("causes an error that explains how the operator can enable the model", () => {
    for (const name of ["gpt-7", "openai/gpt-7", "openai/gpt-5.9-mini"]) {
      expect(rejection(name)).toContain("'unknown_models: family'")
    }
    for (const name of ["gpt-1", "openai/nothing-like-it", "elsewhere/gpt-7"]) {
      expect(rejection(name)).toContain("does not exist")
    }
  })

  test("can be enabled at the highest price of its family if unknown_models is not set", () => {
    expect(catalog.offer("gpt-7")).toMatchObject({ id: "openai/gpt-7", kind: "chat" })
    expect(catalog.offer("gpt-5.4")).toBeUndefined()
    expect(catalog.offer("gpt-1")).toBeUndefined()
    const price = { input: "1", output: "2" }
    for (const rule of ["reject", "family", { price }] as const) {
      expect(build(rule).catalog.offer("gpt-7")).toBeUndefined()
    }
  })
})
