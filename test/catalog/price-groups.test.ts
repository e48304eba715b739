import { describe, expect, test } from "bun:test"
import { NAME_OF_CLASS, type UsageClass } from "tollgate-contract/usage-classes.ts"
import * as fc from "fast-check"
import { NO_USAGE } from "../../src/canon/usage.ts"
import type { Model } from "../../src/catalog/model.ts"
import { entryOf } from "../../src/catalog/entry.ts"
import { PriceGroups } from "../../src/catalog/price-groups.ts"
import type { PriceSettings, PriceTermSettings } from "../../src/config/settings.ts"
import { costOf, type Price } from "../../src/ledger/price.ts"
import { modeOf } from "../../src/ledger/price-modes.ts"
import { build, facts, provider, settings } from "./support.ts"

const { catalog } = build(settings({ mine: provider("acme"), kin: provider("other") }, {}, "1.5"))

function model(id: string): Model {
  const found = catalog.find(id)
  if (!found) throw new Error(`there is no model ${id}`)
  return found
}

function groupOf(...terms: PriceTermSettings[]): PriceGroups {
  return new PriceGroups({ partners: { terms } })
}

function priceOf(groups: PriceGroups, id: string, now = 0): Price | undefined {
  return groups.priced(model(id), "partners", now).deployments[0]?.price
}

describe("a price group", () => {
  test("multiplies the standard price from the start of its term", () => {
    const groups = groupOf({ from: 100, multiplier: "0.8" }, { from: 200, multiplier: "2" })
    expect(priceOf(groups, "mine/large", 99)?.multiplier).toBe(1_500_000n)
    expect(priceOf(groups, "mine/large", 100)).toMatchObject({
      multiplier: 1_200_000n,
      group: { id: "partners", from: 100, multiplier: 800_000n },
    })
    expect(priceOf(groups, "mine/large", 199)?.multiplier).toBe(1_200_000n)
    expect(priceOf(groups, "mine/large", 200)?.multiplier).toBe(3_000_000n)
  })

  test("does not change the prices of other accounts, or of unknown groups", () => {
    const groups = groupOf({ from: 0, multiplier: "0.8" })
    expect(groups.priced(model("mine/large"), undefined, 1)).toBe(model("mine/large"))
    expect(groups.priced(model("mine/large"), "strangers", 1)).toBe(model("mine/large"))
    expect(groups.priced(model("mine/large"), "constructor", 1)).toBe(model("mine/large"))
  })

  test("computes the price of each model once for each term", () => {
    const groups = groupOf({ from: 0, multiplier: "0.8" }, { from: 10 })
    const priced = groups.priced(model("mine/large"), "partners", 1)
    expect(groups.priced(model("mine/large"), "partners", 9)).toBe(priced)
    expect(groups.priced(model("mine/large"), "partners", 10)).not.toBe(priced)
  })

  test("rounds a product of multipliers up", () => {
    expect(priceOf(groupOf({ from: 0, multiplier: "0.000001" }), "mine/large")?.multiplier).toBe(2n)
  })

  test("can have a rate card, to which multipliers do not apply", () => {
    const groups = groupOf({
      from: 0,
      multiplier: "0.5",
      prices: { "mine/large": { input: "3", output: "4" } },
    })
    expect(priceOf(groups, "mine/large")).toEqual({
      rates: { inputFresh: 3_000_000_000n, output: 4_000_000_000n },
      tiers: [],
      multiplier: 1_000_000n,
      group: { id: "partners", from: 0 },
      listed: model("mine/large").deployments[0]?.price as Price,
    })
    expect(priceOf(groups, "mine/small")?.multiplier).toBe(750_000n)
  })

  test("multiplies the rates of modes, but uses only the factors of modes for a rate card", () => {
    const flex = { input: "0.5", cached_input: "0.1", output: "2" }
    const own = { input: "1", cached_input: "0.1", output: "4", modes: { flex, fast: "2" } }
    const made = settings({ mine: provider("acme") }, { "mine/moded": { price: own } })
    const moded = build(made).catalog.find("mine/moded")
    const modesIn = (term: Omit<PriceTermSettings, "from">) => {
      const priced = moded && groupOf({ from: 0, ...term }).priced(moded, "partners", 0)
      const price = priced?.deployments[0]?.price
      const rateIn = (name: string) => price && modeOf(price, name)?.price.rates.inputFresh
      return { flex: rateIn("flex"), fast: rateIn("fast"), multiplier: price?.multiplier }
    }
    const multiplied = { flex: 500_000_000n, fast: 2_000_000_000n, multiplier: 500_000n }
    expect(modesIn({ multiplier: "0.5" })).toEqual(multiplied)
    const card = { flex: 3_000_000_000n, fast: 6_000_000_000n, multiplier: 1_000_000n }
    const prices = { "mine/moded": { input: "3", output: "6" } }
    expect(modesIn({ prices })).toEqual(card)
    const named = { "mine/moded": { input: "3", output: "6", modes: { flex: { input: "2" } } } }
    expect(modesIn({ prices: named })).toEqual({ ...card, flex: 2_000_000_000n })
  })

  test("prefers the price of an id to the price of a pattern, and longer patterns to shorter patterns", () => {
    const at = (input: string): PriceSettings => ({ input, output: "1" })
    const groups = groupOf({
      from: 0,
      prices: { "*": at("1"), "mine/*": at("2"), "mine/s*": at("3"), "mine/large": at("4") },
    })
    const inputOf = (id: string) => Number(priceOf(groups, id)?.rates.inputFresh) / 1e9
    expect(["kin/large", "mine/heard", "mine/small", "mine/large"].map(inputOf)).toEqual([
      1, 2, 3, 4,
    ])
    // A chat price does not apply to embeddings, but their input can be charged by its input price.
    expect(inputOf("mine/vectors")).toBe(2)
  })

  test("does not make a model callable if the model's cost is unknown", () => {
    const groups = groupOf({ from: 0, prices: { "mine/secret": { input: "1", output: "1" } } })
    expect(model("mine/secret").deployments[0]?.price).toBeUndefined()
    expect(priceOf(groups, "mine/secret")).toBeUndefined()
  })

  test("charges in the model's units, so that the vendor's cost is known", () => {
    const made = settings(
      { mine: provider("acme") },
      { "mine/voice": { kind: "speech", price: { character: "15" } } },
    )
    const spoken = build(made).catalog
    const priceOfVoice = (price: PriceSettings) => {
      const groups = groupOf({ from: 0, prices: { "mine/voice": price } })
      const [deployment] = groups.priced(spoken.listed("mine/voice"), "partners", 1).deployments
      return [groups.warnings(spoken.list())[0], deployment?.price?.listed !== undefined]
    }
    expect(priceOfVoice({ character: "12", second: "1" })).toEqual([undefined, true])
    expect(priceOfVoice({ second: "1" })).toEqual([
      "price_groups.partners: the price of 'mine/voice' is not used: the model is priced by 'character', so the price needs it too",
      false,
    ])
  })

  test("multiplies the model's feature prices that are missing in its rate card", () => {
    const features = {
      search: "10",
      search_premium: "20",
      map_search: "30",
      file_search: "40",
      code_session: "50",
      request: "60",
      request_medium: "70",
      request_low: "80",
    }
    const own = { input: "1", output: "2", tiers: [{ above: 1_000, input: "2" }], ...features }
    const made = settings({ mine: provider("acme") }, { "mine/feature": { price: own } }, "1.5")
    const priced = build(made).catalog
    const ratesIn = (card: PriceSettings) => {
      const groups = groupOf({ from: 0, multiplier: "0.5", prices: { "*": card } })
      const price = groups.priced(priced.listed("mine/feature"), "partners", 0).deployments[0]
        ?.price
      const rates = price?.rates ?? {}
      for (const tier of price?.tiers ?? [])
        expect(tier.rates).toMatchObject({ ...rates, inputFresh: 9n * 10n ** 9n })
      return Object.fromEntries(
        Object.entries(rates).map(([name, rate]) => [
          NAME_OF_CLASS[name as UsageClass],
          Number(rate) / 1e9,
        ]),
      )
    }
    const times = (factor: number) =>
      Object.fromEntries(
        Object.entries(features).map(([name, rate]) => [name, Number(rate) * factor]),
      )
    const card = { input: "5", output: "30", tiers: [{ above: 1_000, input: "9" }] }
    expect(ratesIn(card)).toEqual({ input: 5, output: 30, ...times(0.75) })
    const { request_medium: _, request_low: __, ...others } = times(0.75)
    expect(ratesIn({ ...card, search: "1", request: "7" })).toEqual({
      ...others,
      input: 5,
      output: 30,
      search: 1,
      request: 7,
    })
  })

  test("causes a warning for unused prices", () => {
    const groups = groupOf({
      from: 0,
      prices: {
        "mine/lrage": { input: "1", output: "1" },
        "none/*": { input: "1", output: "1" },
        "mine/small": { input: "1" },
        "mine/secret": { input: "1", output: "1" },
        "mine/*": { input: "1", output: "1" },
      },
    })
    expect(groups.warnings(catalog.list())).toEqual([
      "price_groups.partners: there is no model 'mine/lrage', so its price is not used",
      "price_groups.partners: the price of 'mine/small' is not used: its price has no 'output'. Write 0 if it is free",
      "price_groups.partners: the price of 'mine/secret' is not used: the model has no general price. Set one first",
      "price_groups.partners: there is no model 'none/*', so its price is not used",
    ])
  })

  test("determines the catalog's prices for keys of accounts in the group", () => {
    const made = {
      ...settings({ mine: provider("acme") }),
      priceGroups: { partners: { terms: [{ from: 0, multiplier: "0.5" }] } },
    }
    const priced = build(made).catalog
    const key = { priceGroup: "partners" }
    const entries = (body: string) =>
      (JSON.parse(body) as { data: { id: string; pricing?: { input: string } }[] }).data
    const inputOf = (body: string) =>
      entries(body).find(({ id }) => id === "mine/large")?.pricing?.input
    expect(inputOf(priced.listBody(key))).toBe("0.625")
    expect(inputOf(priced.listBody())).toBe("1.25")
    expect(entryOf(priced.visible("large", key)).pricing?.input).toBe("0.625")
    expect(priced.require("mine/large", "chat", key).deployments[0]?.price?.multiplier).toBe(
      500_000n,
    )
    expect(priced.first("chat", key)?.deployments[0]?.price?.group?.id).toBe("partners")
  })
})

const decimal = fc.integer({ min: 0, max: 9_999_999 }).map((millionths) => ({
  millionths: BigInt(millionths),
  text: (millionths / 1e6).toFixed(6),
}))
const tokens = fc.integer({ min: 0, max: 1_000_000 })

test("the charge in a price group equals the usage times the price of the current term", () => {
  const card = facts.vendors["acme"]?.["large"]?.price
  expect(card).toMatchObject({ input: "1.25", output: "10" })
  const term = fc.record({ gap: fc.integer({ min: 1, max: 50 }), multiplier: decimal })
  fc.assert(
    fc.property(
      fc.array(term, { maxLength: 6 }),
      fc.integer({ min: 0, max: 400 }),
      tokens,
      tokens,
      (steps, now, input, output) => {
        let at = 0
        let holding = 1_000_000n
        const terms = steps.map(({ gap, multiplier }) => {
          at += gap
          if (at <= now) holding = multiplier.millionths
          return { from: at, multiplier: multiplier.text }
        })
        const price = priceOf(groupOf(...terms), "mine/large", now)
        const { total } = costOf({ ...NO_USAGE, inputFresh: input, output }, price as Price)
        // 1.25 and 10 credits per million, times 1.5 and the term's multiplier, which is rounded up to a millionth.
        const factor = (holding * 3n + 1n) / 2n
        const whole = (BigInt(input) * 1_250n + BigInt(output) * 10_000n) * factor
        expect(total).toBe((whole + 999_999n) / 1_000_000n)
      },
    ),
  )
})
