import { describe, expect, test } from "bun:test"
import { buildCatalog } from "../../src/catalog/build-catalog.ts"
import type { Facts } from "../../src/catalog/facts.ts"
import { readPriceFacts } from "../../src/catalog/read-price.ts"
import type { ModelSettings, ProviderSettings } from "../../src/config/settings.ts"
import { facts, provider, settings, vendors as knownVendors } from "./support.ts"

describe("a vendor's prices of services and modes", () => {
  const known: Facts = {
    ...facts,
    services: {
      acme: {
        search: "10000",
        file_search: "2500",
        modes: { priority: "2", flex: "0.5" },
        regional: { factor: "1.1", hosts: "eu.acme.example us.acme.example", since: "2023-11-01" },
      },
    },
  }
  const priceAt = (
    own: Partial<ProviderSettings>,
    model: ModelSettings = {},
    facts: Facts = known,
  ) => {
    const providers = { mine: { ...provider("acme"), ...own } }
    const sources = {
      settings: settings(providers, { "mine/large": model }),
      facts,
      vendors: knownVendors,
    }
    return buildCatalog(sources).catalog.find("mine/large")?.deployments[0]?.price
  }

  test("apply to all models, unless the settings have their own prices", () => {
    expect(priceAt({})).toMatchObject({
      services: { searches: 10_000_000_000_000n, fileSearches: 2_500_000_000_000n },
      modes: new Map([
        ["priority", 2_000_000n],
        ["flex", 500_000n],
      ]),
    })
    const prices = { search: "5000", modes: { priority: "3" } }
    const price = { input: "1", output: "2", modes: { flex: "0.25" } }
    expect(priceAt({ prices }, { price })).toMatchObject({
      services: { searches: 5_000_000_000_000n, fileSearches: 2_500_000_000_000n },
      modes: new Map([
        ["priority", 3_000_000n],
        ["flex", 250_000n],
      ]),
    })
  })

  test("include a known mode's rates if the price is known, and the mode's factor otherwise", () => {
    const flex = { input: "0.5", cached_input: "0.1", output: "2" }
    const price = { input: "1", cached_input: "0.1", output: "4", modes: { flex, fast: "3" } }
    const moded = { kind: "chat", price }
    const acme = { ...known.vendors["acme"], moded }
    const sources = (
      models: Record<string, ModelSettings>,
      own: Partial<ProviderSettings> = {},
    ) => ({
      settings: settings({ mine: { ...provider("acme"), ...own } }, models),
      facts: { ...known, vendors: { acme } },
      vendors: knownVendors,
    })
    const modesAt = (...args: Parameters<typeof sources>) => {
      const [price] = buildCatalog(sources(...args)).catalog.find("mine/moded")?.deployments ?? []
      return price?.price?.modes
    }
    const rates = { inputFresh: 500_000_000n, inputCacheRead: 100_000_000n, output: 2_000_000_000n }
    expect(modesAt({})?.get("flex")).toEqual({ rates, tiers: [] })
    expect(modesAt({})?.get("fast")).toBe(3_000_000n)
    // The rates are those of the vendor. They are not derived from a price with a margin.
    const own = { price: { input: "2", output: "9" } }
    expect(modesAt({ "mine/moded": own })?.get("flex")).toBe(1_000_000n)
    const more = { price: { ...own.price, modes: { flex: { input: "1.5" } } } }
    expect(modesAt({ "mine/moded": more })?.get("flex")).toMatchObject({
      rates: { inputFresh: 1_500_000_000n },
    })
    const set = { prices: { modes: { flex: "0.9" } } }
    expect(modesAt({}, set)?.get("flex")).toBe(900_000n)
    const regional = modesAt({}, { baseUrl: "https://eu.acme.example/v1" })?.get("flex")
    expect(regional).toMatchObject({ rates: { inputFresh: 550_000_000n } })
  })

  test("make a model unpriced if one of their modes has a class that cannot be billed", () => {
    const modes = { flex: { input: "0.5", citation: "1" } }
    const price = { input: "1", output: "4", modes }
    expect(readPriceFacts("chat", price, "1").reason).toContain("also charges by 'citation'")
  })

  test("do not change the price of a request without services and modes", () => {
    expect(priceAt({})?.rates.searches).toBeUndefined()
  })

  test("increase at locations other than global for models with regional prices", () => {
    const { large } = known.vendors["acme"] ?? {}
    if (large === undefined) throw new Error("the model is missing")
    const regional: Facts = {
      ...known,
      vendors: { acme: { large: { ...large, regional: "1.2" } } },
    }
    const inputAt = (own: Partial<ProviderSettings>, model?: ModelSettings) =>
      priceAt(own, model, regional)?.rates.inputFresh
    expect(inputAt({ location: "eu-west" })).toBe(1_500_000_000n)
    expect(inputAt({ location: "global" })).toBe(1_250_000_000n)
    expect(inputAt({})).toBe(1_250_000_000n)
    const price = { input: "1", output: "2" }
    expect(inputAt({ location: "eu-west" }, { price })).toBe(1_000_000_000n)
    expect(priceAt({ location: "eu-west" })?.rates.inputFresh).toBe(1_250_000_000n)
  })

  test("increase at hosts that keep data in one region", () => {
    const rates = { inputFresh: 1_375_000_000n, inputCacheRead: 137_500_000n }
    expect(priceAt({ baseUrl: "https://eu.acme.example/v1" })).toMatchObject({ rates })
    expect(priceAt({ baseUrl: "https://api.acme.example/v1" })?.rates.inputFresh).toBe(
      1_250_000_000n,
    )
  })
})
