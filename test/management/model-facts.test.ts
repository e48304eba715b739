import { expect, test } from "bun:test"
import type { Facts } from "../../src/catalog/facts.ts"
import type { Model } from "../../src/catalog/model.ts"
import { parsePrice } from "../../src/ledger/parse-price.ts"
import { DescribedModels } from "../../src/management/model-facts.ts"
import { settings as bareSettings } from "../catalog/support.ts"

const FACTS: Facts = {
  date: "2026-11-23",
  generated_from: [],
  vendors: {
    openai: {
      "gpt-x": {
        kind: "chat",
        input: ["text", "image"],
        tools: true,
        price: { input: "1", output: "2" },
        priced: "2026-10-01",
      },
      "gpt-y": { kind: "chat", reasoning: true, price: { input: "1", output: "2" } },
      constructor: { kind: "chat" },
    },
  },
}
const provider = { vendor: "openai", headers: {}, knownModels: true, origin: "file" } as const
const DEPLOYED = { provider: "mine", model: "gpt-x", weight: 1 }
const PRICE = { input: "3", output: "4" }
const described = new DescribedModels(
  bareSettings(
    { mine: provider },
    {
      "mine/own": { kind: "chat", price: PRICE },
      "mine/alias": { kind: "chat", deployments: [DEPLOYED] },
      "mine/dear": { kind: "chat", deployments: [{ ...DEPLOYED, price: PRICE }] },
    },
  ),
  FACTS,
)

function model(id: string, upstreamModel = id.slice(id.indexOf("/") + 1)): Model {
  const price = parsePrice(PRICE, "1")
  const deployment = {
    id: `mine/${upstreamModel}`,
    provider: "mine",
    upstreamModel,
    weight: 1,
    price,
  }
  return { id, kind: "chat", created: 0, ownedBy: "x", deployments: [deployment] }
}

const KNOWN = { origin: "known", at: undefined } as const

test("a model has the features of the registry, even under another name", () => {
  const all = { input: ["text", "image"], tools: true, reasoning: false }
  expect(described.capabilities(model("mine/gpt-x"))).toEqual(all)
  expect(described.capabilities(model("mine/alias", "gpt-x"))).toEqual(all)
  expect(described.capabilities(model("mine/gpt-y"))).toEqual({
    input: [],
    tools: false,
    reasoning: true,
  })
  expect(described.capabilities(model("mine/nobody-knows-it"))).toBeNull()
  expect(described.capabilities(model("mine/toString"))).toBeNull()
  expect(described.capabilities(model("elsewhere/gpt-x", "other"))).toBeNull()
})

test("a model's price has the date of the price list or of its last change", () => {
  const source = (id: string, upstream?: string) =>
    described.priceSource(model(id, upstream), KNOWN)
  expect(source("mine/gpt-x")).toEqual({
    kind: "known",
    name: "OpenAI: gpt-x",
    date: "2026-10-01",
  })
  expect(source("mine/gpt-y")?.date).toBe("2026-11-23")
  expect(source("mine/alias", "gpt-x")?.date).toBe("2026-10-01")
  const at = Date.UTC(2026, 2, 2, 23, 59)
  for (const id of ["mine/own", "mine/dear"]) {
    expect(described.priceSource(model(id, "gpt-x"), { origin: "console", at })).toEqual({
      kind: "console",
      name: null,
      date: "2026-03-02",
    })
    expect(described.priceSource(model(id, "gpt-x"), { origin: "file", at: undefined })).toEqual({
      kind: "file",
      name: null,
      date: null,
    })
  }
  const unpriced = { ...model("mine/gpt-x"), deployments: [] }
  expect(described.priceSource(unpriced, KNOWN)).toBeNull()
})
