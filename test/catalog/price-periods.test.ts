import { describe, expect, test } from "bun:test"
import { buildCatalog } from "../../src/catalog/catalog.ts"
import type { Facts } from "../../src/catalog/facts.ts"
import type { ModelSettings, PricePeriodSettings, Settings } from "../../src/config/settings.ts"
import type { Price } from "../../src/ledger/price.ts"
import { provider, settings, vendors } from "./support.ts"

const DAY = Date.parse("2026-12-01T00:00:00Z")
const HOUR = 3_600_000
const NIGHT: PricePeriodSettings = { name: "night", hours: ["00:00-06:00"], input: "0.5" }

const facts: Facts = {
  generated_from: [],
  services: { acme: { search: "10000", modes: { fast: "2" } } },
  vendors: {
    acme: {
      timed: {
        kind: "chat",
        price: {
          input: "1",
          output: "2",
          tiers: [{ above: 1000, output: "3" }],
          modes: { ultra: "3" },
          periods: [{ from: "2026-12-02T08:00:00Z", modes: { ultra: "6" } }],
        },
      },
      odd: {
        kind: "chat",
        price: { input: "1", output: "2", periods: [{ days: ["mon"], citation: "5" }] },
      },
    },
  },
}

/** A catalog with a clock that is set by hand. */
function built(models: Record<string, ModelSettings>, more: Partial<Settings> = {}) {
  const clock = { now: DAY }
  const made = settings({ mine: provider("acme"), kin: provider("other") }, models, "1.5")
  const sources = { settings: { ...made, ...more }, facts, vendors, clock: () => clock.now }
  const { catalog, warnings } = buildCatalog(sources)
  return { clock, catalog, warnings }
}

const inputOf = (price: Price | undefined): number => Number(price?.rates.inputFresh) / 1e9

describe("a model whose price has periods", () => {
  const models = { "mine/own": { price: { input: "1", output: "2", periods: [NIGHT] } } }

  test("costs what applies at the moment, up to the moment at which that changes", () => {
    const { catalog, clock } = built(models)
    const price = () => catalog.require("mine/own", "chat").deployments[0]?.price
    expect(price()).toMatchObject({
      rates: { inputFresh: 500_000_000n, output: 2_000_000_000n },
      multiplier: 1_500_000n,
      inForce: { name: "night", from: DAY, until: DAY + 6 * HOUR },
    })
    clock.now = DAY + 6 * HOUR - 1
    expect(inputOf(price())).toBe(0.5)
    clock.now = DAY + 6 * HOUR
    expect(inputOf(price())).toBe(1)
    expect(price()?.inForce).toEqual({ index: -1, from: clock.now, until: DAY + 24 * HOUR })
    clock.now = DAY + 24 * HOUR
    expect(inputOf(price())).toBe(0.5)
  })

  test("is worked out once for each time, and again when the clock is set back", () => {
    const { catalog, clock } = built(models)
    const model = catalog.require("mine/own", "chat")
    clock.now = DAY + 5 * HOUR
    expect(catalog.require("mine/own", "chat")).toBe(model)
    clock.now = DAY + 7 * HOUR
    const day = catalog.require("mine/own", "chat")
    expect(day).not.toBe(model)
    expect(catalog.require("mine/own", "chat")).toBe(day)
    clock.now = DAY + HOUR
    expect(inputOf(catalog.require("mine/own", "chat").deployments[0]?.price)).toBe(0.5)
  })

  test("without periods stays the very same", () => {
    const { catalog } = built({ "mine/plain": { price: { input: "1", output: "2" } } })
    expect(catalog.require("mine/plain", "chat")).toBe(catalog.find("mine/plain") as never)
  })

  test("is listed and shown at the price of the moment", () => {
    const { catalog, clock } = built(models)
    const listed = (body: string) =>
      (JSON.parse(body) as { data: { id: string; pricing: { input: string } }[] }).data.find(
        ({ id }) => id === "mine/own",
      )?.pricing.input
    const all = () => [
      listed(catalog.listBody()),
      listed(catalog.listBody({ allows: () => true })),
      catalog.entry(catalog.visible("mine/own")).pricing?.input,
    ]
    const body = catalog.listBody()
    expect(all()).toEqual(["0.75", "0.75", "0.75"])
    expect(catalog.listBody()).toBe(body)
    clock.now = DAY + 6 * HOUR
    expect(all()).toEqual(["1.5", "1.5", "1.5"])
  })

  test("is multiplied for the members of a price group, whose rate card has a price for all times", () => {
    const price_groups = {
      half: { terms: [{ from: 0, multiplier: "0.5" }] },
      card: { terms: [{ from: 0, prices: { "mine/own": { input: "9", output: "9" } } }] },
    }
    const { catalog, clock } = built(models, { priceGroups: price_groups })
    const price = (priceGroup: string) =>
      catalog.require("mine/own", "chat", { priceGroup }).deployments[0]?.price
    expect(price("half")).toMatchObject({ multiplier: 750_000n, inForce: { name: "night" } })
    expect(inputOf(price("half"))).toBe(0.5)
    expect(inputOf(price("card"))).toBe(9)
    expect(price("card")?.inForce).toBeUndefined()
    expect(inputOf(price("card")?.listed)).toBe(0.5)
    clock.now = DAY + 6 * HOUR
    expect(inputOf(price("half"))).toBe(1)
    expect(inputOf(price("card")?.listed)).toBe(1)
  })

  test("may be free at times: then nobody is refused before their model is known", () => {
    const free = { ...NIGHT, input: "0", output: "0" }
    const price = { input: "1", output: "2", periods: [free] }
    expect(built({ "mine/own": { price } }).catalog.hasFree({})).toBe(true)
    expect(built(models).catalog.hasFree({})).toBe(false)
  })

  test("that costs nothing outside of them is free too", () => {
    const price = { input: "0", output: "0", periods: [{ ...NIGHT, output: "1" }] }
    const { catalog } = built({ "mine/own": { price } })
    expect(catalog.hasFree({})).toBe(true)
  })
})

test("deployments are tried in the order of the prices of the moment", () => {
  const deployments = [
    { provider: "mine", model: "a", weight: 1, price: { input: "1", output: "1" } },
    {
      provider: "kin",
      model: "b",
      weight: 1,
      price: { input: "2", output: "2", periods: [{ ...NIGHT, output: "0.1" }] },
    },
  ]
  const { catalog, clock } = built({ "mine/both": { choice: "price", deployments } })
  const order = () => catalog.require("mine/both", "chat").deployments.map(({ id }) => id)
  expect(order()).toEqual(["kin/b", "mine/a"])
  clock.now = DAY + 6 * HOUR
  expect(order()).toEqual(["mine/a", "kin/b"])
})

test("a group has the prices of the moment of all its members", () => {
  const { catalog, clock } = built({
    "mine/own": { price: { input: "1", output: "2", periods: [NIGHT] } },
    "auto/all": { members: [{ model: "mine/own", weight: 1 }] },
  })
  const price = () => catalog.require("auto/all", "chat").deployments[0]?.price
  expect(inputOf(price())).toBe(0.5)
  clock.now = DAY + 6 * HOUR
  expect(inputOf(price())).toBe(1)
})

describe("a known model", () => {
  const modesOf = (price: Price | undefined) => Object.fromEntries(price?.modes ?? [])

  test("has the periods of its list, with the tiers, services and modes of its price", () => {
    const { catalog, clock } = built({})
    const price = () => catalog.require("mine/timed", "chat").deployments[0]?.price
    expect(modesOf(price())).toEqual({ fast: 2_000_000n, ultra: 3_000_000n })
    clock.now = Date.parse("2026-12-02T08:00:00Z")
    expect(modesOf(price())).toEqual({ fast: 2_000_000n, ultra: 6_000_000n })
    expect(price()).toMatchObject({
      services: { searches: 10_000_000_000_000n },
      tiers: [{ above: 1000, rates: { inputFresh: 1_000_000_000n, output: 3_000_000_000n } }],
      inForce: { from: clock.now, until: Infinity },
    })
  })

  test("has the modes that the operator has set for its provider, in its periods too", () => {
    const own = { ...provider("acme"), prices: { modes: { ultra: "4" } } }
    const { catalog, clock } = built({}, { providers: { mine: own } })
    const price = () => catalog.require("mine/timed", "chat").deployments[0]?.price
    expect(modesOf(price())["ultra"]).toBe(4_000_000n)
    clock.now = Date.parse("2026-12-03T00:00:00Z")
    expect(modesOf(price())["ultra"]).toBe(4_000_000n)
  })

  test("is refused if a period of it cannot be billed", () => {
    const { warnings } = built({ "mine/odd": { maxOutput: 1 } })
    expect(warnings.join()).toContain("its vendor also charges by 'citation'")
  })
})
