import { describe, expect, test } from "bun:test"
import { addSchedules } from "../../price-data/scheduled.ts"
import { buildCatalog } from "../../src/catalog/build-catalog.ts"
import { entryOf } from "../../src/catalog/entry.ts"
import type { Facts } from "../../src/catalog/facts.ts"
import type { ModelSettings, PricePeriodSettings, Settings } from "../../src/config/settings.ts"
import shipped from "../../src/catalog/facts.json" with { type: "json" }
import type { Price } from "../../src/ledger/price.ts"
import { vendors as allVendors } from "../../src/vendors/index.ts"
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

/** Builds a catalog whose clock the test sets. */
function built(models: Record<string, ModelSettings>, more: Partial<Settings> = {}) {
  const clock = { now: DAY }
  const made = settings({ mine: provider("acme"), kin: provider("other") }, models, "1.5")
  const sources = { settings: { ...made, ...more }, facts, vendors, clock: () => clock.now }
  const { catalog, warnings } = buildCatalog(sources)
  return { clock, catalog, warnings }
}

const inputOf = (price: Price | undefined): number => Number(price?.rates.inputFresh) / 1e9

describe("a model with price periods", () => {
  const models = { "mine/own": { price: { input: "1", output: "2", periods: [NIGHT] } } }

  test("costs the price of the current period until it ends", () => {
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

  test("resolves to the same object within a period, even after the clock is set back", () => {
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

  test("gets a new object in each period, while a model without periods keeps its object", () => {
    const { catalog } = built({ "mine/plain": { price: { input: "1", output: "2" } } })
    expect(catalog.require("mine/plain", "chat")).toBe(catalog.find("mine/plain") as never)
  })

  test("shows the current price in lists and details", () => {
    const { catalog, clock } = built(models)
    const listed = (body: string) =>
      (JSON.parse(body) as { data: { id: string; pricing: { input: string } }[] }).data.find(
        ({ id }) => id === "mine/own",
      )?.pricing.input
    const all = () => [
      listed(catalog.listBody()),
      listed(catalog.listBody({ allows: () => true })),
      entryOf(catalog.visible("mine/own")).pricing?.input,
    ]
    const body = catalog.listBody()
    expect(all()).toEqual(["0.75", "0.75", "0.75"])
    expect(catalog.listBody()).toBe(body)
    clock.now = DAY + 6 * HOUR
    expect(all()).toEqual(["1.5", "1.5", "1.5"])
  })

  test("has multiplied periods in a price group, but a fixed price in a rate card", () => {
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

  test("can be free in a period, so that requests without credits are not rejected early", () => {
    const free = { ...NIGHT, input: "0", output: "0" }
    const price = { input: "1", output: "2", periods: [free] }
    expect(built({ "mine/own": { price } }).catalog.hasFree("chat", {})).toBe(true)
    expect(built(models).catalog.hasFree("chat", {})).toBe(false)
  })

  test("counts as free if it is free outside its periods", () => {
    const price = { input: "0", output: "0", periods: [{ ...NIGHT, output: "1" }] }
    const { catalog } = built({ "mine/own": { price } })
    expect(catalog.hasFree("chat", {})).toBe(true)
  })
})

test("deployments with price periods are tried in the order of their current prices", () => {
  const deployments = [
    { provider: "mine", model: "a", weight: 1, price: { input: "1", output: "1" } },
    {
      provider: "kin",
      model: "b",
      weight: 1,
      price: { input: "2", output: "2", periods: [{ ...NIGHT, output: "0.1" }] },
    },
  ]
  const { catalog, clock } = built({ "mine/both": { strategy: "price", deployments } })
  const order = () => catalog.require("mine/both", "chat").deployments.map(({ id }) => id)
  expect(order()).toEqual(["kin/b", "mine/a"])
  clock.now = DAY + 6 * HOUR
  expect(order()).toEqual(["mine/a", "kin/b"])
})

test("a model group has the current prices of all its members", () => {
  const { catalog, clock } = built({
    "mine/own": { price: { input: "1", output: "2", periods: [NIGHT] } },
    "auto/all": { members: [{ model: "mine/own", weight: 1 }] },
  })
  const price = () => catalog.require("auto/all", "chat").deployments[0]?.price
  expect(inputOf(price())).toBe(0.5)
  clock.now = DAY + 6 * HOUR
  expect(inputOf(price())).toBe(1)
})

describe("a known model with price periods", () => {
  const modesOf = (price: Price | undefined) => Object.fromEntries(price?.modes ?? [])

  test("has the periods of the price list, with the tiers, services and modes of its price", () => {
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

  test("has the operator's modes in its periods", () => {
    const own = { ...provider("acme"), prices: { modes: { ultra: "4" } } }
    const { catalog, clock } = built({}, { providers: { mine: own } })
    const price = () => catalog.require("mine/timed", "chat").deployments[0]?.price
    expect(modesOf(price())["ultra"]).toBe(4_000_000n)
    clock.now = Date.parse("2026-12-03T00:00:00Z")
    expect(modesOf(price())["ultra"]).toBe(4_000_000n)
  })

  test("keeps the periods of its modes if the operator's price has neither modes nor periods", () => {
    const price = { input: "5", output: "6" }
    const cases: [ModelSettings["price"] & {}, bigint][] = [
      [price, 6_000_000n],
      [{ ...price, modes: { ultra: "5" } }, 5_000_000n],
      [{ ...price, periods: [{ ...NIGHT, hours: ["12:00-13:00"] }] }, 3_000_000n],
    ]
    for (const [written, factor] of cases) {
      const { catalog, clock } = built({ "mine/timed": { price: written } })
      clock.now = Date.parse("2026-12-02T09:00:00Z")
      const { deployments } = catalog.require("mine/timed", "chat")
      expect(modesOf(deployments[0]?.price)["ultra"]).toBe(factor)
      expect(inputOf(deployments[0]?.price)).toBe(5)
    }
  })

  test("causes a warning if one of its periods cannot be charged", () => {
    const { warnings } = built({ "mine/odd": { maxOutput: 1 } })
    expect(warnings.join()).toContain("its vendor also charges by 'citation'")
  })
})

describe("the built-in prices", () => {
  const clock = { now: DAY }
  const names = ["deepseek", "google", "openai"]
  const made = settings(Object.fromEntries(names.map((name) => [name, provider(name)])))
  const { catalog } = buildCatalog({
    settings: made,
    facts: shipped as unknown as Facts,
    vendors: allVendors,
    clock: () => clock.now,
  })
  const at = (moment: string, id: string) => {
    clock.now = Date.parse(moment)
    return catalog.require(id, "chat").deployments[0]?.price
  }

  test("double for DeepSeek on workdays from 1 to 4 and from 6 to 10 UTC", () => {
    const id = "deepseek/deepseek-v4-pro"
    const inputAt = (moment: string) => inputOf(at(moment, id))
    // 2026-11-27 is a Friday.
    const changes: [moment: string, before: number, after: number][] = [
      ["2026-11-27T01:00:00Z", 0.66, 1.32],
      ["2026-11-27T04:00:00Z", 1.32, 0.66],
      ["2026-11-27T06:00:00Z", 0.66, 1.32],
      ["2026-11-27T10:00:00Z", 1.32, 0.66],
    ]
    for (const [moment, before, after] of changes) {
      const last = new Date(Date.parse(moment) - 1).toISOString()
      expect([moment, inputAt(last), inputAt(moment)]).toEqual([moment, before, after])
    }
    const weekend = ["2026-11-28T02:00:00Z", "2026-11-29T07:00:00Z", "2026-11-29T17:00:00Z"]
    expect(weekend.map(inputAt)).toEqual([0.66, 0.66, 0.66])
    const week = Array.from({ length: 7 * 24 }, (_, hour) =>
      inputAt(new Date(DAY + hour * HOUR).toISOString()),
    )
    expect(week.filter((input) => input === 1.32)).toHaveLength(35)
  })

  test("double for Gemini Flash in 2027, in all classes except searches", () => {
    for (const name of ["gemini-3.6-flash", "gemini-3.7-flash", "gemini-3.8-flash"]) {
      const before = at("2026-12-31T23:59:59.999Z", `google/${name}`)
      const after = at("2027-01-01T00:00:00Z", `google/${name}`)
      const { searches, mapSearches, ...tokens } = before?.rates ?? {}
      const doubled = Object.fromEntries(
        Object.entries(tokens).map(([usageClass, rate]) => [usageClass, 2n * rate]),
      )
      expect(after?.rates).toEqual({
        ...doubled,
        ...(searches !== undefined && { searches }),
        ...(mapSearches !== undefined && { mapSearches }),
      })
      expect(after?.modes).toEqual(before?.modes)
    }
  })

  test("have a different factor for Ultrafast of GPT-6.2 after February 2027", () => {
    const factorAt = (moment: string) => {
      const price = at(moment, "openai/gpt-6.2-sol")
      expect(inputOf(price)).toBe(2)
      expect(price?.tiers).toHaveLength(1)
      return price?.modes?.get("ultrafast")
    }
    expect(factorAt("2027-03-01T07:59:59.999Z")).toBe(3_000_000n)
    expect(factorAt("2027-03-01T08:00:00Z")).toBe(6_000_000n)
    expect(inputOf(at("2026-11-27T00:00:00Z", "openai/gpt-6.2-astra"))).toBe(8)
  })
})

test("a price schedule does not apply if the price has changed", () => {
  const price = { input: "1.5", output: "7.5" }
  const list = { date: "2027-01-02", generated_from: [], services: {} }
  const models = { "gemini-3.8-flash": { kind: "chat" as const, price } }
  expect(addSchedules({ ...list, vendors: { google: models } })).toEqual([
    "google/gemini-3.8-flash",
  ])
  expect(price).toEqual({ input: "1.5", output: "7.5" })
})
