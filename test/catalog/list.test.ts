import { describe, expect, test } from "bun:test"
import shipped from "../../src/catalog/facts.json" with { type: "json" }
import { buildCatalog } from "../../src/catalog/build-catalog.ts"
import { entryOf } from "../../src/catalog/entry.ts"
import { NO_USAGE } from "../../src/canon/usage.ts"
import { costOf } from "../../src/ledger/price.ts"
import { vendors } from "../../src/vendors/index.ts"
import { build, provider, settings } from "./support.ts"

describe("the model list", () => {
  const { catalog } = build(
    settings({ mine: provider("acme"), second: provider("other") }, {}, "1.2"),
  )

  test("has the documented fields and the charged prices", () => {
    const { object, data } = JSON.parse(catalog.listBody()) as { object: string; data: object[] }
    expect(object).toBe("list")
    expect(data).toHaveLength(9)
    expect(data).toEqual(catalog.list().map((model) => entryOf(model)))
    expect(data.find((entry) => "id" in entry && entry.id === "mine/large")).toEqual({
      id: "mine/large",
      object: "model",
      created: 1_700_000_000,
      owned_by: "acme labs",
      kind: "chat",
      context_length: 128_000,
      max_output_tokens: 16_384,
      dialects: ["openai-chat", "openai-responses"],
      priced: true,
      pricing: { input: "1.5", cached_input: "0.15", output: "12" },
    })
    expect(data.find((entry) => "id" in entry && entry.id === "mine/secret")).toEqual({
      id: "mine/secret",
      object: "model",
      created: 1_787_270_400,
      owned_by: "mine",
      kind: "chat",
      dialects: ["openai-chat", "openai-responses"],
      priced: false,
    })
  })

  test("shows price tiers, and the highest price of several deployments", () => {
    const deployments = [
      { provider: "mine", model: "tiered", weight: 1, price: { input: "5", output: "1" } },
      {
        provider: "mine",
        model: "tiered",
        weight: 1,
        price: { input: "1", output: "2", tiers: [{ above: 1000, input: "6" }] },
      },
    ]
    const { catalog } = build(
      settings({ mine: provider("acme", false) }, { "mine/tiered": { deployments } }),
    )
    const [model] = catalog.list()
    expect(model && entryOf(model).pricing).toEqual({
      input: "5",
      output: "2",
      tiers: [{ above: 1000, input: "6", output: "2" }],
    })
    const secondPrice = model?.deployments[1]?.price
    if (!secondPrice) throw new Error("no price")
    // The displayed price is the price that is charged. 2,000 tokens are in the upper tier.
    expect(costOf({ ...NO_USAGE, inputFresh: 2000 }, secondPrice).total).toBe(12_000_000n)
  })

  test("reuses one list for unrestricted keys, and filters the list for restricted keys", () => {
    expect(catalog.listBody()).toBe(catalog.listBody())
    const few = JSON.parse(catalog.listBody({ allows: (id) => id === "second/large" })) as {
      data: { id: string }[]
    }
    expect(few.data.map(({ id }) => id)).toEqual(["second/large"])
    expect(catalog.listBody({ allows: () => false })).toBe('{"object":"list","data":[]}')
  })
})

describe("the model list with the shipped facts", () => {
  const providers = Object.fromEntries([...vendors.keys()].map((id) => [id, provider(id)] as const))
  const { catalog, warnings } = buildCatalog({
    settings: settings(providers),
    facts: shipped,
    vendors,
  })

  test("has the models of all vendors, and causes a warning for each rejected model", () => {
    expect(catalog.list().length).toBeGreaterThan(500)
    for (const { id } of catalog.unpriced) {
      const [name = ""] = id.split("/")
      expect(warnings.some((line) => line.startsWith(`provider ${name}: `))).toBe(true)
    }
    expect(catalog.require("openai/gpt-4o", "chat").maxOutput).toBeGreaterThan(0)
    expect(catalog.nearest("gpt-4o-mini")[0]).toEndWith("/gpt-4o-mini")
  })

  test("has input and output prices for each chat model", () => {
    for (const model of catalog.list().filter(({ kind }) => kind === "chat")) {
      for (const { price } of model.deployments) {
        if (!price) continue
        expect(price.rates.inputFresh).toBeDefined()
        expect(price.rates.output).toBeDefined()
      }
    }
  })
})
