import { describe, expect, test } from "bun:test"
import { buildCatalog } from "../../src/catalog/build-catalog.ts"
import type { Facts } from "../../src/catalog/facts.ts"
import { build, facts, provider, settings, vendors as knownVendors } from "./support.ts"

describe("known models", () => {
  test("have ids that begin with the id of their provider", () => {
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

  test("have the date of the facts as their creation date, and their provider as their owner", () => {
    const { catalog } = build(settings({ mine: provider("acme") }))
    expect(catalog.find("mine/small")).toMatchObject({
      created: Date.parse("2026-08-21") / 1000,
      ownedBy: "mine",
    })
  })

  test("do not appear if they are turned off or the vendor has no facts", () => {
    const { catalog, warnings } = build(
      settings({ mine: provider("acme", false), local: provider("free") }),
    )
    expect(catalog.list()).toEqual([])
    expect(warnings).toEqual(catalog.withoutModels)
  })

  test("cause a warning and cannot be called if their vendor is unknown", () => {
    const { catalog, warnings } = build(settings({ mine: provider("nobody") }))
    expect(catalog.list()).toEqual([])
    expect(warnings).toEqual(["provider mine: vendor 'nobody' is unknown, so it is not called"])
  })

  test("share one warning per provider if they have no chargeable price", () => {
    const { catalog, warnings } = build(settings({ mine: provider("acme") }))
    expect(catalog.unpriced.map(({ id }) => id)).toEqual(["mine/feed", "mine/secret"])
    expect(warnings).toEqual([
      "provider mine: 2 of its 8 known models are rejected, because they have no price that can be billed: mine/feed, mine/secret",
      "provider mine: 1 known model is free for callers, because the vendor does not charge: mine/gift",
    ])
  })

  test("cause no warning if they are free moderation models", () => {
    const safe = { kind: "moderation", price: { input: "0" } }
    const free: Facts = { ...facts, vendors: { ...facts.vendors, acme: { safe } } }
    const parts = { settings: settings({ mine: provider("acme") }), facts: free }
    const { catalog, warnings } = buildCatalog({ ...parts, vendors: knownVendors })
    expect(catalog.require("mine/safe", "moderation").id).toBe("mine/safe")
    expect(warnings).toEqual([])
  })

  test("charge cached audio separately", () => {
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

describe("models in the settings", () => {
  test("override a known model field by field and keep its price", () => {
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

  test("use facts even if known models are not listed", () => {
    const { catalog } = build(
      settings({ mine: provider("acme", false) }, { "mine/large": {}, "mine/vectors": {} }),
    )
    expect(catalog.list().map(({ id, kind }) => `${id} ${kind}`)).toEqual([
      "mine/large chat",
      "mine/vectors embedding",
    ])
    expect(catalog.unpriced).toEqual([])
  })

  test("default to chat models of their own provider", () => {
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

  test("have the price of the deployment, the model, or the known list", () => {
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

  test("cause an error that names the class if a required price is missing", () => {
    const { catalog, warnings } = build(
      settings({ local: provider("free") }, { "local/x": { price: { output: "1" } } }),
    )
    expect(catalog.unpriced.map(({ id }) => id)).toEqual(["local/x"])
    expect(warnings).toEqual([
      "model local/x is rejected: its price has no 'input'. Write 0 if it is free",
    ])
  })

  test("cause a warning and are not listed if their provider is missing", () => {
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

  test("can have the names of inherited object members", () => {
    const { catalog } = build(settings({ mine: provider("acme") }))
    expect(catalog.find("constructor/name")).toBeUndefined()
    expect(catalog.find("mine/toString")).toBeUndefined()
    const odd = build(settings({ mine: provider("acme") }, { "mine/constructor": {} }))
    expect(odd.catalog.unpriced.map(({ id }) => id)).toContain("mine/constructor")
  })
})

test("the date of the facts is the newest date of its sources, regardless of order", () => {
  const turned = { ...facts, generated_from: facts.generated_from.toReversed() }
  const { catalog } = buildCatalog({
    settings: settings({ mine: provider("acme") }),
    facts: turned,
    vendors: knownVendors,
  })
  expect(catalog.find("mine/small")?.created).toBe(1_787_270_400)
})

test("a paused deployment gets no requests and does not affect the model's price", () => {
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
