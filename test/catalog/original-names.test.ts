import { describe, expect, test } from "bun:test"
import { buildCatalog, type BuiltCatalog } from "../../src/catalog/build-catalog.ts"
import shipped from "../../src/catalog/facts.json" with { type: "json" }
import type { Facts } from "../../src/catalog/facts.ts"
import type { ModelSettings, ProviderSettings } from "../../src/config/settings.ts"
import { vendors } from "../../src/vendors/index.ts"
import { provider, settings } from "./support.ts"

const PRICE = { input: "1", output: "2" }
const HERE: ProviderSettings = {
  ...provider("openai-compatible", false),
  baseUrl: "http://127.0.0.1:1",
}

function at(name: string, model: string): ModelSettings {
  return { price: PRICE, deployments: [{ provider: name, model, weight: 1 }] }
}

function build(
  providers: Record<string, ProviderSettings>,
  models: Record<string, ModelSettings> = {},
  aliases: Record<string, string> = {},
): BuiltCatalog {
  const made = { ...settings(providers, models), aliases }
  return buildCatalog({ settings: made, facts: shipped as unknown as Facts, vendors })
}

/** Returns the models to which each name resolves. */
function meanings(
  { catalog }: BuiltCatalog,
  names: readonly string[],
): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, catalog.resolve(name)?.id]))
}

function expectMeanings(built: BuiltCatalog, wanted: Record<string, string | undefined>): void {
  expect(meanings(built, Object.keys(wanted))).toEqual(wanted)
}

/** Builds a catalog with the named models of one provider, without known facts. */
function named(...names: string[]): BuiltCatalog {
  return build(
    { mine: HERE },
    Object.fromEntries(names.map((name) => [`mine/${name}`, { price: PRICE }])),
  )
}

const KNOWN = [
  "azure",
  "vertex",
  "openrouter",
  "bedrock",
  "openai",
  "anthropic",
  "google",
  "mistral",
  "cohere",
]

describe("vendors' own model names", () => {
  const all = build(Object.fromEntries(KNOWN.map((vendor) => [vendor, provider(vendor)])))

  test("refer to the maker's provider, regardless of the order of the settings", () => {
    expectMeanings(all, {
      "claude-sonnet-4-5": "anthropic/claude-sonnet-4-5",
      "gpt-5.4": "openai/gpt-5.4",
      "gpt-4o": "openai/gpt-4o",
      o3: "openai/o3",
      "gemini-2.5-flash": "google/gemini-2.5-flash",
      "mistral-large-latest": "mistral/mistral-large-latest",
      "embed-v4.0": "cohere/embed-v4.0",
      "anthropic.claude-sonnet-4-5-20250929-v1:0":
        "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
      "eu.anthropic.claude-sonnet-5": "bedrock/eu.anthropic.claude-sonnet-5",
      // No other vendor offers this model.
      "kimi-k2.5": "azure/kimi-k2.5",
    })
  })

  test("refer to the model without the suffix if they end with an unlisted date or `latest`", () => {
    expectMeanings(all, {
      "claude-sonnet-4-5-20250929": "anthropic/claude-sonnet-4-5-20250929",
      "gpt-5.4-2026-03-05": "openai/gpt-5.4-2026-03-05",
      "gpt-4o-2024-08-06": "openai/gpt-4o-2024-08-06",
      "gemini-flash-latest": "google/gemini-flash-latest",
      "claude-sonnet-4-6-20260217": "anthropic/claude-sonnet-4-6",
      "claude-sonnet-4-6@20260217": "anthropic/claude-sonnet-4-6",
      "gpt-5.4-2031-12-31": "openai/gpt-5.4",
      "gpt-5-mini-2031-01-01": "openai/gpt-5-mini",
      "gemini-2.5-flash-001": "google/gemini-2.5-flash",
      "gemini-2.5-flash-preview-05-20": "google/gemini-2.5-flash",
      "gemini-2.5-flash-preview-09-2025": "google/gemini-2.5-flash",
      "claude-sonnet-4-5-latest": "anthropic/claude-sonnet-4-5",
      "anthropic/claude-sonnet-4-6-20260217": "anthropic/claude-sonnet-4-6",
    })
  })

  test("do not refer to another family, size or provider", () => {
    const names = [
      "gpt-5.4-maxi",
      "gpt-5.4-2026-13-05",
      "claude-sonnet-4-5-2025",
      "claude-sonnet",
      "gemini-2.5",
      "gpt",
      "",
      "-latest",
      "GPT-5.4",
      "gpt-5.4/",
      // These names begin with a provider that does not offer the model. A router offers it.
      "google/gemma-3-27b-it",
      "anthropic/claude-3-haiku",
      "openai/gpt-4o:extended",
      `gpt-5.4${"-2026-03-05".repeat(100)}`,
    ]
    for (const name of names)
      expect([name, all.catalog.resolve(name)?.id]).toEqual([name, undefined])
  })

  test("refer to the newest model of a family, by version or date, if they end in `latest`", () => {
    expectMeanings(all, {
      "claude-opus-latest": "anthropic/claude-opus-5-5",
      "claude-haiku-latest": "anthropic/claude-haiku-5-5",
    })
    const some = named(
      "a-2411",
      "a-2506",
      "b-3.5",
      "b-3.10",
      "b-3.9",
      "c-1",
      "c-1.0",
      "d-2411",
      "d-2025-01-01",
    )
    expectMeanings(some, {
      "a-latest": "mine/a-2506",
      "b-latest": "mine/b-3.10",
      "c-latest": undefined,
      "d-latest": undefined,
      "e-latest": undefined,
    })
    expectMeanings(named("x-1", "x-latest"), { "x-latest": "mine/x-latest" })
    expectMeanings(named("x-1", "x"), { "x-latest": "mine/x" })
  })
})

describe("a model name with a prefix or suffix that clients add", () => {
  const built = build(
    { google: provider("google"), anthropic: provider("anthropic") },
    {},
    { fast: "google/gemini-2.5-flash", gone: "google/gone" },
  )

  test("matches without Google's prefix `models/` and Claude Code's long-context suffix", () => {
    expectMeanings(built, {
      "models/gemini-2.5-flash": "google/gemini-2.5-flash",
      "models/google/gemini-2.5-flash": "google/gemini-2.5-flash",
      "models/fast": "google/gemini-2.5-flash",
      "claude-sonnet-4-5[1m]": "anthropic/claude-sonnet-4-5",
      "claude-sonnet-4-5[1M][1m]": "anthropic/claude-sonnet-4-5",
      "anthropic/claude-sonnet-4-5-20250929[1m]": "anthropic/claude-sonnet-4-5-20250929",
      "fast[1m]": "google/gemini-2.5-flash",
    })
  })

  test("loses each prefix or suffix only once, and only in its usual position", () => {
    const names = [
      "models/models/gemini-2.5-flash",
      "models/",
      "[1m]",
      "[1m]claude-sonnet-4-5",
      "claude-sonnet-4-5[2m]",
      "models/gone",
      `${"models/".repeat(50_000)}gpt`,
      `claude${"[1m]".repeat(50_000)}`,
    ]
    for (const name of names) {
      expect([name.slice(0, 40), built.catalog.resolve(name)?.id]).toEqual([
        name.slice(0, 40),
        undefined,
      ])
    }
  })
})

describe("models with Bedrock's own names", () => {
  const ID = "anthropic.claude-sonnet-4-5-20250929-v1:0"

  function inRegion(region: string): ProviderSettings {
    return { ...provider("bedrock"), region }
  }

  test("match their original names, preferring the model for the provider's region", () => {
    const names = ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5-latest"]
    const areas = { "us-east-1": "us", "eu-central-1": "eu", "ap-northeast-1": "jp" }
    for (const [region, area] of Object.entries(areas)) {
      const id = `bedrock/${area}.${ID}`
      const wanted = Object.fromEntries(names.map((name) => [name, id]))
      expectMeanings(build({ bedrock: inRegion(region) }), wanted)
    }
    expectMeanings(build({ bedrock: inRegion("ap-south-1") }), {
      "claude-sonnet-4-5": `bedrock/global.${ID}`,
      [ID]: `bedrock/${ID}`,
    })
  })

  test("match names without Bedrock's suffixes", () => {
    expectMeanings(build({ bedrock: inRegion("us-east-1") }), {
      "nova-pro": "bedrock/us.amazon.nova-pro-v1:0",
      "claude-opus-4-6": "bedrock/us.anthropic.claude-opus-4-6-v1",
      "claude-sonnet-5": "bedrock/us.anthropic.claude-sonnet-5",
      "gpt-oss-120b": "bedrock/openai.gpt-oss-120b",
      "glm-4.7": "bedrock/zai.glm-4.7",
      "claude-opus-latest": "bedrock/us.anthropic.claude-opus-5-5",
      r1: undefined,
      "v3.2": undefined,
      anthropic: undefined,
    })
  })

  test("have lower priority than the original vendor's models and than exact names", () => {
    const both = build({ bedrock: inRegion("us-east-1"), anthropic: provider("anthropic") })
    expectMeanings(both, {
      "claude-sonnet-4-5": "anthropic/claude-sonnet-4-5",
      "claude-sonnet-4-5-20250929": "anthropic/claude-sonnet-4-5-20250929",
    })
    const models = { "mine/claude-sonnet-4-5": { price: PRICE } }
    expectMeanings(build({ bedrock: inRegion("us-east-1"), mine: HERE }, models), {
      "claude-sonnet-4-5": "mine/claude-sonnet-4-5",
    })
  })

  test("do not match if the key cannot access the model", () => {
    const { catalog } = build({ bedrock: inRegion("us-east-1") })
    const allows = (id: string): boolean => id.startsWith("bedrock/eu.")
    expect(catalog.resolve("claude-sonnet-4-5", { allows })?.id).toBe(`bedrock/eu.${ID}`)
  })
})

describe("several providers with the same model name", () => {
  test("match in the order of the settings if the maker is not configured", () => {
    const models = { "b/llama": { price: PRICE }, "a/llama": { price: PRICE } }
    expectMeanings(build({ b: HERE, a: HERE }, models), { llama: "b/llama" })
    expectMeanings(build({ a: HERE, b: HERE }, models), { llama: "a/llama" })
  })

  test("do not match by upstream name if an exact public name matches", () => {
    const built = build(
      { mine: HERE },
      {
        "mine/fast": at("mine", "llama"),
        "mine/llama": { price: PRICE },
        "mine/other": at("mine", "fast"),
      },
    )
    expectMeanings(built, { llama: "mine/llama", fast: "mine/other", other: "mine/other" })
  })

  test("do not match a model with several different upstream names", () => {
    const deployments = [
      { provider: "one", model: "first", weight: 1 },
      { provider: "two", model: "second", weight: 1 },
    ]
    const built = build({ one: HERE, two: HERE }, { "one/best": { price: PRICE, deployments } })
    expectMeanings(built, { best: "one/best", first: undefined, second: undefined })
  })

  test("resolve to the first model that the key can access", () => {
    const { catalog } = build({ openai: provider("openai"), azure: provider("azure") })
    const allows = (id: string): boolean => id.startsWith("azure/")
    expect(catalog.resolve("gpt-5.4", { allows })?.id).toBe("azure/gpt-5.4")
    expect(catalog.require("gpt-5.4", "chat", { allows }).id).toBe("azure/gpt-5.4")
    const none = { allows: () => false }
    expect(() => catalog.require("gpt-5.4", "chat", none)).toThrow(
      "This key may not call the model `gpt-5.4`",
    )
    expect(() => catalog.visible("gpt-5.4", none)).toThrow("does not exist")
  })
})

describe("model aliases", () => {
  const built = build(
    { openai: provider("openai"), anthropic: provider("anthropic") },
    {},
    {
      "gpt-4o": "openai/gpt-5.4",
      fast: "openai/gpt-5.4-mini",
      loop: "openai/loop",
      "openai/loop": "openai/loop",
      chain: "fast",
      "openai/gpt-5": "anthropic/claude-opus-5",
    },
  )

  test("take precedence over vendors' names but not over ids, and the key's own aliases come first", () => {
    expectMeanings(built, {
      "gpt-4o": "openai/gpt-5.4",
      fast: "openai/gpt-5.4-mini",
      "openai/gpt-5": "openai/gpt-5",
    })
    const aliases = new Map([
      ["fast", "anthropic/claude-haiku-4-5"],
      ["openai/gpt-5", "anthropic/claude-haiku-4-5"],
      ["gone", "openai/gone"],
      ["gpt-5.4", "openai/gone"],
    ])
    const { catalog } = built
    expect(catalog.resolve("fast", { aliases })?.id).toBe("anthropic/claude-haiku-4-5")
    expect(catalog.resolve("gpt-4o", { aliases })?.id).toBe("openai/gpt-5.4")
    expect(catalog.resolve("openai/gpt-5", { aliases })?.id).toBe("openai/gpt-5")
    // A broken alias is reported, and the gateway does not select another model.
    for (const name of ["gone", "gpt-5.4"]) {
      expect(() => catalog.require(name, "chat", { aliases })).toThrow("is an alias")
    }
  })

  test("refer to model ids only, and never to an alias", () => {
    expectMeanings(built, { loop: undefined, "openai/loop": undefined, chain: undefined })
    expect(built.warnings.filter((warning) => warning.startsWith("aliases."))).toEqual([
      "aliases.loop: there is no model 'openai/loop', so requests for it are rejected",
      "aliases.openai/loop: there is no model 'openai/loop', so requests for it are rejected",
      "aliases.chain: there is no model 'fast', so requests for it are rejected",
      "aliases.openai/gpt-5: is not used, because a model has that id",
    ])
  })

  test("give no access to the model, and do not reveal its existence", () => {
    const rights = { allows: (id: string) => id === "fast" || id.startsWith("anthropic/") }
    const { catalog } = built
    const rejection =
      "This key may not call the model `fast`. GET /v1/models lists the allowed models."
    expect(() => catalog.require("fast", "chat", rights)).toThrow(rejection)
    expect(() => catalog.visible("fast", rights)).toThrow(/^(?!.*gpt-5).*$/)
  })

  test("keep their names in responses, and are not listed", () => {
    const { catalog } = built
    expect(catalog.visible("fast")).toMatchObject({ id: "fast", kind: "chat" })
    expect(catalog.listBody()).not.toContain('"fast"')
    expect(() => catalog.listed("fast")).toThrow("is an alias")
  })
})
