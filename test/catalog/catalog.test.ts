import { describe, expect, test } from "bun:test"
import { buildCatalog } from "../../src/catalog/catalog.ts"
import type { Facts } from "../../src/catalog/facts.ts"
import type { ModelSettings, ProviderSettings } from "../../src/config/settings.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import { readPriceFacts } from "../../src/catalog/read-price.ts"
import { build, facts, provider, settings, vendors as knownVendors } from "./support.ts"

function failure(run: () => unknown): GatewayError {
  try {
    run()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error("nothing was thrown")
}

describe("known models", () => {
  test("come with their provider, under its id", () => {
    const { catalog } = build(settings({ mine: provider("acme") }))
    expect(catalog.list().map(({ id }) => id)).toEqual([
      "mine/feed",
      "mine/gift",
      "mine/heard",
      "mine/large",
      "mine/secret",
      "mine/small",
      "mine/tiered",
      "mine/vectors",
    ])
    const large = catalog.find("mine/large")
    expect(large).toMatchObject({
      kind: "chat",
      created: 1_700_000_000,
      ownedBy: "acme labs",
      context: 128_000,
      maxOutput: 16_384,
      deployments: [{ id: "mine/large", provider: "mine", upstreamModel: "large", weight: 1 }],
    })
    expect(large?.deployments[0]?.price?.rates.inputFresh).toBe(1_250_000_000n)
  })

  test("fall back to the date of the facts and to their provider", () => {
    const { catalog } = build(settings({ mine: provider("acme") }))
    expect(catalog.find("mine/small")).toMatchObject({
      created: Date.parse("2026-08-21") / 1000,
      ownedBy: "mine",
    })
  })

  test("stay away when they are not wanted, or when nothing is known", () => {
    const { catalog, warnings } = build(
      settings({ mine: provider("acme", false), local: provider("free") }),
    )
    expect(catalog.list()).toEqual([])
    expect(warnings).toEqual(catalog.withoutModels)
  })

  test("of a vendor that is not in the table are not called, and that is said", () => {
    const { catalog, warnings } = build(settings({ mine: provider("nobody") }))
    expect(catalog.list()).toEqual([])
    expect(warnings).toEqual(["provider mine: vendor 'nobody' is unknown, so it is not called"])
  })

  test("without a price that can be billed are refused and reported in one line", () => {
    const { catalog, warnings } = build(settings({ mine: provider("acme") }))
    expect(catalog.unpriced.map(({ id }) => id)).toEqual(["mine/feed", "mine/secret"])
    expect(warnings).toEqual([
      "provider mine: 2 of its 8 known models are refused, since they have no price that can be billed: mine/feed, mine/secret",
      "provider mine: 1 known model costs callers nothing, as their vendor asks nothing: mine/gift",
    ])
  })

  test("free models for moderation cause no warning", () => {
    const safe = { kind: "moderation", price: { input: "0" } }
    const free: Facts = { ...facts, vendors: { ...facts.vendors, acme: { safe } } }
    const parts = { settings: settings({ mine: provider("acme") }), facts: free }
    const { catalog, warnings } = buildCatalog({ ...parts, vendors: knownVendors })
    expect(catalog.require("mine/safe", "moderation").id).toBe("mine/safe")
    expect(warnings).toEqual([])
  })

  test("price sound that was read from a cache apart", () => {
    const { catalog } = build(settings({ mine: provider("acme") }))
    const rates = catalog.find("mine/heard")?.deployments[0]?.price?.rates
    expect(rates).toEqual({
      inputFresh: 1_000_000_000n,
      output: 2_000_000_000n,
      audioInput: 4_000_000_000n,
      audioCacheRead: 500_000_000n,
    })
  })
})

describe("what a vendor asks besides its models", () => {
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
  const priceAt = (own: Partial<ProviderSettings>, model: ModelSettings = {}) => {
    const providers = { mine: { ...provider("acme"), ...own } }
    const sources = {
      settings: settings(providers, { "mine/large": model }),
      facts: known,
      vendors: knownVendors,
    }
    return buildCatalog(sources).catalog.find("mine/large")?.deployments[0]?.price
  }

  test("counts for all of them, under what the settings say", () => {
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

  test("rates of a known mode count with the known price, and by their factor with another one", () => {
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
    // The rates are those of the vendor, not of a price with a margin.
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

  test("a mode with a class that cannot be billed makes its model unpriced", () => {
    const modes = { flex: { input: "0.5", citation: "1" } }
    const price = { input: "1", output: "4", modes }
    expect(readPriceFacts("chat", price, "1").reason).toContain("also charges by 'citation'")
  })

  test("is not held for by a plain request", () => {
    expect(priceAt({})?.rates.searches).toBeUndefined()
  })

  test("is more where data stays in one region", () => {
    const rates = { inputFresh: 1_375_000_000n, inputCacheRead: 137_500_000n }
    expect(priceAt({ baseUrl: "https://eu.acme.example/v1" })).toMatchObject({ rates })
    expect(priceAt({ baseUrl: "https://api.acme.example/v1" })?.rates.inputFresh).toBe(
      1_250_000_000n,
    )
  })
})

describe("models of the settings", () => {
  test("override a known one field by field and keep its price", () => {
    const { catalog } = build(
      settings(
        { mine: provider("acme") },
        { "mine/large": { multiplier: "1.5", maxOutput: 100, ownedBy: "me" } },
        "2",
      ),
    )
    const model = catalog.find("mine/large")
    expect(model).toMatchObject({ maxOutput: 100, ownedBy: "me", context: 128_000 })
    expect(model?.deployments[0]?.price?.multiplier).toBe(1_500_000n)
    expect(catalog.find("mine/small")?.deployments[0]?.price?.multiplier).toBe(2_000_000n)
  })

  test("take facts even where known models are not listed by themselves", () => {
    const { catalog } = build(
      settings({ mine: provider("acme", false) }, { "mine/large": {}, "mine/vectors": {} }),
    )
    expect(catalog.list().map(({ id, kind }) => `${id} ${kind}`)).toEqual([
      "mine/large chat",
      "mine/vectors embedding",
    ])
    expect(catalog.unpriced).toEqual([])
  })

  test("are chat models of their own provider unless they say more", () => {
    const { catalog } = build(
      settings(
        { local: provider("free") },
        { "local/a/b": { price: { input: "0.10", output: "0.40" } } },
      ),
    )
    expect(catalog.find("local/a/b")).toEqual({
      id: "local/a/b",
      kind: "chat",
      created: Date.parse("2026-08-21") / 1000,
      ownedBy: "local",
      deployments: [
        {
          id: "local/a/b",
          provider: "local",
          upstreamModel: "a/b",
          weight: 1,
          dialects: ["openai-chat"],
          price: {
            rates: { inputFresh: 100_000_000n, output: 400_000_000n },
            tiers: [],
            multiplier: 1_000_000n,
          },
        },
      ],
    })
  })

  test("price each deployment by itself, by the model, or by what its vendor charges", () => {
    const price = { input: "1", output: "2" }
    const deployments = [
      { provider: "mine", model: "large", weight: 1, price: { input: "3", output: "4" } },
      { provider: "second", model: "large", weight: 2 },
      { provider: "local", model: "unknown", weight: 0 },
    ]
    const providers = {
      mine: provider("acme", false),
      second: provider("other", false),
      local: provider("free"),
    }
    const inputRates = (model: object) => {
      const { catalog } = build(settings(providers, { "pool/x": { ...model, deployments } }, "3"))
      return catalog.find("pool/x")?.deployments.map((each) => each.price?.rates.inputFresh)
    }
    expect(inputRates({ price })).toEqual([3_000_000_000n, 1_000_000_000n, 1_000_000_000n])
    expect(inputRates({})).toEqual([3_000_000_000n, 7_000_000_000n, undefined])
  })

  test("whose price leaves out what every request uses are refused, and the class is named", () => {
    const { catalog, warnings } = build(
      settings({ local: provider("free") }, { "local/x": { price: { output: "1" } } }),
    )
    expect(catalog.unpriced.map(({ id }) => id)).toEqual(["local/x"])
    expect(warnings).toEqual([
      "model local/x is refused: its price names no 'input'. Write 0 for what is free",
    ])
  })

  test("whose provider is missing are not listed, with a warning", () => {
    const { catalog, warnings } = build(
      settings({ mine: provider("acme") }, { "gone/x": {}, "mime/large": {} }),
    )
    expect(catalog.list().map(({ id }) => id)).not.toContain("gone/x")
    expect(warnings).toContain(
      "model gone/x: provider 'gone' is not set up. Add it under 'providers'.",
    )
    expect(warnings).toContain(
      "model mime/large: provider 'mime' is not set up. Did you mean 'mine'?",
    )
  })

  test("named like members of every object are no more than names", () => {
    const { catalog } = build(settings({ mine: provider("acme") }))
    expect(catalog.find("constructor/name")).toBeUndefined()
    expect(catalog.find("mine/toString")).toBeUndefined()
    const odd = build(settings({ mine: provider("acme") }, { "mine/constructor": {} }))
    expect(odd.catalog.unpriced.map(({ id }) => id)).toContain("mine/constructor")
  })
})

const allows = (id: string) => id.startsWith("second/")

describe("require", () => {
  const { catalog } = build(settings({ mine: provider("acme"), second: provider("other") }))

  test("gives a model that can be called", () => {
    expect(catalog.require("mine/large", "chat").id).toBe("mine/large")
  })

  test("names what a caller may have meant", () => {
    const bare = failure(() => catalog.require("larg", "chat"))
    expect(bare.kind).toBe("model_not_found")
    expect(bare.status).toBe(404)
    expect(bare.details.parameter).toBe("model")
    expect(bare.message).toBe(
      "The model `larg` does not exist. A model is named <provider>/<model_name>. " +
        "Did you mean `mine/large` or `second/large`? GET /v1/models lists all.",
    )
    const typo = failure(() => catalog.require("mine/smal", "chat"))
    expect(typo.message).toBe(
      "The model `mine/smal` does not exist. Did you mean `mine/small`? GET /v1/models lists all.",
    )
  })

  test("does not tell a key of models that it may not call", () => {
    expect(failure(() => catalog.require("larg", "chat", { allows })).message).not.toContain(
      "mine/",
    )
    expect(failure(() => catalog.require("mine/large", "chat", { allows })).kind).toBe(
      "model_not_allowed",
    )
    expect(failure(() => catalog.visible("mine/large", { allows })).kind).toBe("model_not_found")
    expect(catalog.visible("second/large", { allows }).id).toBe("second/large")
  })

  test("refuses another kind and a model without a price", () => {
    const kind = failure(() => catalog.require("mine/vectors", "chat"))
    expect([kind.kind, kind.status, kind.details.parameter]).toEqual([
      "model_not_supported",
      400,
      "model",
    ])
    const price = failure(() => catalog.require("mine/secret", "chat"))
    expect([price.kind, price.status, price.details.parameter]).toEqual([
      "model_not_priced",
      402,
      "model",
    ])
  })

  test("repeats only the beginning of an endless name", () => {
    expect(failure(() => catalog.require("x".repeat(100_000), "chat")).message.length).toBeLessThan(
      500,
    )
  })
})

test("facts name their newest date whatever their order", () => {
  const turned = { ...facts, generated_from: facts.generated_from.toReversed() }
  const { catalog } = buildCatalog({
    settings: settings({ mine: provider("acme") }),
    facts: turned,
    vendors: knownVendors,
  })
  expect(catalog.find("mine/small")?.created).toBe(1_787_270_400)
})

test("no request goes to a paused deployment, and nothing of it is in the price of the model", () => {
  const { catalog } = build(
    settings(
      { mine: provider("acme") },
      {
        "mine/pool": {
          deployments: [
            { provider: "mine", model: "large", weight: 1, isPaused: true },
            { provider: "mine", model: "small", weight: 1 },
          ],
        },
      },
    ),
  )
  const pool = catalog.find("mine/pool")
  expect(pool?.deployments.map(({ id }) => id)).toEqual(["mine/small"])
  expect(pool?.paused?.map(({ id }) => id)).toEqual(["mine/large"])
})

describe("a provider that no model leads to", () => {
  const line = (found: string) =>
    `provider local: has no models (${found}), so it is never called. List them under 'models' with a price, such as local/NAME.`

  test("is named with the remedy, whatever the reason", () => {
    const unknown = build(settings({ local: provider("free") }))
    expect(unknown.warnings).toEqual([line("no models of vendor 'free' are known")])
    expect(unknown.catalog.withoutModels).toEqual(unknown.warnings)
    const off = build(settings({ local: { ...provider("acme"), knownModels: false } }))
    expect(off.warnings).toEqual([line("known_models is false")])
  })

  test("is not named when a model, a deployment or callers lead to it", () => {
    const providers = { local: provider("free") }
    const price = { input: "1", output: "1" }
    const models: Record<string, ModelSettings>[] = [
      { "local/x": { price } },
      { "pool/x": { price, deployments: [{ provider: "local", model: "x", weight: 1 }] } },
    ]
    for (const each of models) expect(build(settings(providers, each)).warnings).toEqual([])
    const open = build({ ...settings(providers), unknownModels: { price } })
    expect(open.warnings).toEqual([])
  })
})

describe("credits in another currency", () => {
  const stripe = (currency: string) => ({ secretKey: "k", webhookSecret: "w", currency })
  const warningsOf = (
    currency: string,
    multiplier: string,
    providers = { mine: provider("acme") },
  ) =>
    build({ ...settings(providers, {}, multiplier), stripe: stripe(currency) }).warnings.filter(
      (warning) => warning.startsWith("stripe.currency"),
    )

  test("are reported when known prices in dollars are charged one to one", () => {
    expect(warningsOf("jpy", "1.0")).toEqual([
      "stripe.currency: one credit is sold for 1 JPY, but the known prices are in US dollars and 'multiplier' is 1. " +
        "Set multiplier to the price of one dollar in JPY, plus your margin.",
    ])
  })

  test("are not reported for dollars, with a multiplier, or without known prices", () => {
    expect(warningsOf("usd", "1")).toEqual([])
    expect(warningsOf("jpy", "155")).toEqual([])
    expect(warningsOf("jpy", "1", { mine: provider("free") })).toEqual([])
  })
})
