import { describe, expect, test } from "bun:test"
import { buildCatalog, type BuiltCatalog } from "../../src/catalog/build-catalog.ts"
import { entryOf } from "../../src/catalog/entry.ts"
import type { Facts } from "../../src/catalog/facts.ts"
import type {
  DeploymentSettings,
  ModelSettings,
  ProviderSettings,
} from "../../src/config/settings.ts"
import { provider, settings, vendors } from "./support.ts"

const price = { input: "1", output: "2" }
const facts: Facts = {
  generated_from: [{ name: "facts", date: "2026-08-21" }],
  vendors: {
    acme: {
      any: { kind: "chat", price },
      thinker: { kind: "chat", price, dialects: ["openai-responses"] },
      vectors: { kind: "embedding", price },
    },
  },
}

/** Builds a catalog with providers of all three vendors. The providers `mine` and `local` have the given settings. */
function build(
  models: Record<string, ModelSettings>,
  more: { mine?: Partial<ProviderSettings>; local?: Partial<ProviderSettings> } = {},
): BuiltCatalog {
  const providers = {
    mine: { ...provider("acme"), ...more.mine },
    other: provider("other"),
    local: { ...provider("free"), ...more.local },
  }
  return buildCatalog({ settings: settings(providers, models), facts, vendors })
}

function dialectsIn(built: BuiltCatalog, id: string) {
  return built.catalog.find(id)?.deployments.map(({ dialects }) => dialects)
}

const deployment = (name: string, model: string, dialects?: string[]): DeploymentSettings => ({
  provider: name,
  model,
  weight: 1,
  ...(dialects === undefined ? {} : { dialects }),
})

describe("the dialects of a model", () => {
  test("default to all dialects of its vendor, unless the facts list fewer", () => {
    const built = build({})
    expect(dialectsIn(built, "mine/any")).toEqual([["openai-chat", "openai-responses"]])
    expect(dialectsIn(built, "mine/thinker")).toEqual([["openai-responses"]])
    expect(dialectsIn(built, "mine/vectors")).toEqual([undefined])
  })

  test("follow the operator's order if they are set for its provider", () => {
    const written = ["anthropic-messages", "openai-chat", "anthropic-messages"]
    expect(dialectsIn(build({ "local/x": { price } }), "local/x")).toEqual([["openai-chat"]])
    expect(
      dialectsIn(build({ "local/x": { price } }, { local: { dialects: written } }), "local/x"),
    ).toEqual([["anthropic-messages", "openai-chat"]])
  })

  test("follow the model's settings, regardless of facts and defaults", () => {
    const models = {
      "mine/thinker": { dialects: ["openai-chat"] },
      "local/x": {
        price,
        dialects: ["openai-responses"],
        deployments: [deployment("local", "x"), deployment("local", "y", ["anthropic-messages"])],
      },
    }
    const built = build(models)
    expect(dialectsIn(built, "mine/thinker")).toEqual([["openai-chat"]])
    expect(dialectsIn(built, "local/x")).toEqual([["openai-responses"], ["anthropic-messages"]])
  })

  test("depend on the upstream name, or on the public name if the upstream name is unknown", () => {
    const models = {
      "mine/thinker": {
        deployments: [
          deployment("mine", "my-deployment"),
          deployment("mine", "any"),
          deployment("other", "thinker"),
        ],
      },
    }
    expect(dialectsIn(build(models), "mine/thinker")).toEqual([
      ["openai-responses"],
      ["openai-chat", "openai-responses"],
      ["openai-chat"],
    ])
  })

  test("have no duplicates in the model's entry", () => {
    const deployments = [deployment("mine", "any"), deployment("other", "any")]
    const { catalog } = build({ "mine/any": { deployments } })
    expect(entryOf(catalog.visible("mine/any")).dialects).toEqual([
      "openai-chat",
      "openai-responses",
    ])
    expect(entryOf(catalog.visible("mine/vectors"))).not.toHaveProperty("dialects")
  })
})

describe("a model without a common dialect with its provider", () => {
  const onlyChat = { mine: { dialects: ["openai-chat"] } }

  test("does not appear in the model list, and causes a warning if it is in the settings", () => {
    expect(build({}, onlyChat).catalog.find("mine/thinker")).toBeUndefined()
    const { catalog, warnings } = build({ "mine/thinker": {} }, onlyChat)
    expect(catalog.find("mine/thinker")).toBeUndefined()
    expect(warnings).toEqual([
      "model mine/thinker: provider 'mine' supports none of its dialects",
      ...catalog.withoutModels,
    ])
  })

  test("keeps its other deployments", () => {
    const deployments = [deployment("mine", "thinker"), deployment("other", "any")]
    const built = build({ "mine/thinker": { price, deployments } }, onlyChat)
    expect(dialectsIn(built, "mine/thinker")).toEqual([["openai-chat"]])
    expect(built.warnings).toHaveLength(1 + built.catalog.withoutModels.length)
  })
})
