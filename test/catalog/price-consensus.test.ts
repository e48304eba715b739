import { describe, expect, test } from "bun:test"
import { type ListQuote, settle } from "../../price-data/consensus.ts"
import { comparable, finishPrice } from "../../price-data/finish-price.ts"
import { asFactor, finishMode } from "../../price-data/modes.ts"
import type { Price, TieredRates } from "../../price-data/shape.ts"
import { LIST_DATES } from "./published-lists.ts"

const GOOGLE = { vendor: "google", owner: "google" }

function quotes(prices: Partial<Record<keyof typeof LIST_DATES, Price>>): ListQuote[] {
  return Object.entries(prices).map(([name, price]) => {
    const list = name as keyof typeof LIST_DATES
    return { list, date: LIST_DATES[list], price }
  })
}

describe("price lists that disagree", () => {
  const two = { input: "2", output: "8" }
  const three = { input: "3", output: "9" }

  test("result in the price on which two of three lists agree, and in a dispute with all values and the rule", () => {
    const settled = settle(
      quotes({ "genai-prices": two, "models.dev": three, LiteLLM: two }),
      "chat",
      {},
    )
    expect(settled?.price).toEqual(two)
    expect(settled?.date).toBe("2026-11-23")
    expect(settled?.disputes[0]).toEqual({
      class: "input",
      values: { "genai-prices": "2", "models.dev": "3", LiteLLM: "2" },
      chosen: "2",
      rule: "two of three",
    })
  })

  test("result in input and output prices from the same list", () => {
    const mixed = {
      "genai-prices": { input: "2", output: "8" },
      LiteLLM: { input: "1", output: "9" },
    }
    expect(settle(quotes(mixed), "chat", { maker: "acme" })?.price).toEqual(mixed.LiteLLM)
  })

  test("result in the newest price for makers, and the highest for resellers, if no lists agree", () => {
    const said = quotes({ "models.dev": three, LiteLLM: two })
    expect(settle(said, "chat", { maker: "acme" })?.price).toEqual(two)
    expect(settle(said, "chat", {})?.price).toEqual(three)
    expect(settle(said, "chat", {})?.disputes.map(({ rule }) => rule)).toEqual([
      "highest",
      "highest",
    ])
  })

  test("result in a tier with the classes of all lists if it has an input or output price", () => {
    const long = { above: 200_000, input: "4", output: "12" }
    const base = { input: "2", output: "8", cache_write: "3" }
    const said = quotes({
      "genai-prices": { ...base, tiers: [long] },
      LiteLLM: { ...base, tiers: [{ ...long, cache_write: "6" }] },
    })
    const tiers = [{ ...long, cache_write: "6" }]
    expect(settle(said, "chat", { maker: "acme" })?.price).toEqual({ ...base, tiers })
    const alone = quotes({ LiteLLM: { ...base, tiers: [{ above: 200_000, audio_input: "1" }] } })
    expect(settle(alone, "chat", {})?.price).toEqual(base)
  })

  test("apply tiers of another list to a reseller, but never below the chosen price", () => {
    const said = quotes({
      "models.dev": { input: "2", output: "8" },
      LiteLLM: { input: "1", output: "4", tiers: [{ above: 32_000, input: "3", output: "6" }] },
    })
    const tiers = [{ above: 32_000, input: "3", output: "8" }]
    expect(settle(said, "chat", {})?.price).toEqual({ input: "2", output: "8", tiers })
    expect(settle(said, "chat", { maker: "acme" })?.price.tiers).toEqual([
      { above: 32_000, input: "3", output: "6" },
    ])
  })

  test("cause no dispute if one price is the rounded form of the other", () => {
    const said = quotes({ "models.dev": { input: "0.3333" }, LiteLLM: { input: "0.333333333" } })
    expect(settle(said, "embedding", {})?.disputes).toEqual([])
  })

  test("result in a price with a class of a single list if the class fits the price", () => {
    const said = quotes({
      "models.dev": { input: "2", output: "8", cached_input: "0.2" },
      LiteLLM: { input: "2", output: "8", cache_write: "2.5", second: "100" },
    })
    const expected = { input: "2", output: "8", cached_input: "0.2", cache_write: "2.5" }
    expect(settle(said, "chat", {})?.price).toEqual(expected)
    const dear = quotes({
      "models.dev": { input: "9", cached_input: "4" },
      LiteLLM: { input: "2" },
    })
    expect(settle(dear, "embedding", { maker: "acme" })?.price).toEqual({ input: "2" })
  })
})

describe("service modes in price lists", () => {
  const price = { input: "1", cached_input: "0.1", output: "4" }
  const flex = { input: "0.5", output: "2" }

  test("combine the classes of several lists", () => {
    const more = { ...flex, cached_input: "0.1" }
    const said = quotes({
      "genai-prices": { ...price, modes: { flex } },
      LiteLLM: { ...price, modes: { flex: more, priority: "2" } },
    })
    expect(settle(said, "chat", {})?.price.modes).toEqual({ flex: more, priority: "2" })
  })

  test("come from the first of the lists with the chosen price", () => {
    const said = quotes({
      "genai-prices": { ...price, modes: { flex: { ...flex, cached_input: "0.06" } } },
      LiteLLM: { ...price, modes: { flex: { ...flex, cached_input: "0.05" } } },
    })
    expect(settle(said, "chat", {})?.price.modes?.["flex"]).toMatchObject({ cached_input: "0.06" })
  })

  test("become their highest factor if the chosen price is from another list", () => {
    const said = quotes({
      "models.dev": { input: "3", output: "9", modes: { flex: { input: "1.5", output: "6" } } },
      LiteLLM: price,
    })
    expect(settle(said, "chat", { maker: "acme" })?.price.modes).toEqual({ flex: "0.666667" })
  })

  const finished = (own: Price, mode: TieredRates) => finishMode(mode, own)

  test("become a factor if every class has the same factor", () => {
    expect(finished(price, { input: "0.5", cached_input: "0.05", output: "2" })).toBe("0.5")
    expect(finished(price, { input: "1.8", output: "7.2" })).toBe("1.8")
    // Cache reads must not become cheaper.
    expect(finished(price, flex)).toEqual(flex)
  })

  test("charge a class like its parent if their standard prices are equal", () => {
    const own = { ...price, audio_input: "1" }
    expect(finished(own, { ...flex, cached_input: "0.1" })).toEqual({
      ...flex,
      cached_input: "0.1",
      audio_input: "0.5",
    })
  })

  test("exclude mistakes, zeros, and classes and tiers that the standard price does not have", () => {
    const own = { ...price, audio_input: "3", tiers: [{ above: 1_000, input: "2" }] }
    const listed = {
      ...flex,
      cached_input: "0",
      audio_input: "0.5",
      image_output: "30",
      tiers: [
        { above: 1_000, input: "1" },
        { above: 5_000, input: "2" },
      ],
    }
    expect(finished(own, listed)).toEqual({
      ...flex,
      audio_input: "1.5",
      tiers: [{ above: 1_000, input: "1" }],
    })
    expect(finished(price, { image_output: "30" })).toBeUndefined()
  })

  test("have the common factor of input and output for images and audio", () => {
    const own = { input: "2", cached_input: "0.2", output: "12", audio_input: "4" }
    const images = { ...own, image_output: "120" }
    const half = { input: "1", output: "6" }
    expect(finished(images, half)).toEqual({ ...half, audio_input: "2", image_output: "60" })
    expect(finished(images, { ...half, cached_input: "0.1" })).toBe("0.5")
    expect(finished(images, { ...half, image_output: "100" })).toMatchObject({
      image_output: "100",
    })
    // Different factors of input and output are no evidence for other classes.
    expect(finished(images, { input: "1", output: "9" })).toEqual({ input: "1", output: "9" })
  })

  test("price the output of an image model as text if it has prices for both", () => {
    const own = { input: "0.3", output: "2.5", image_output: "30" }
    const modes = { flex: { input: "0.15", output: "1.25" } }
    const made = finishPrice(comparable({ ...own, modes }, "image", false), GOOGLE)
    expect(made).toEqual({ ...own, modes: { flex: "0.5" } })
    const single = { input: "0.3", output: "30" }
    const half = { flex: { input: "0.15", output: "15" } }
    const images = finishPrice(comparable({ ...single, modes: half }, "image", false), GOOGLE)
    expect(images).toEqual({ ...single, modes: { flex: "0.5" } })
  })

  test("become a factor for prices that change over time", () => {
    expect(asFactor({ ...flex, cached_input: "0.06" }, price)).toBe("0.6")
    expect(asFactor(flex, price)).toBe("1")
  })
})

describe("cache prices", () => {
  const sold = (price: Price, vendor: string, owner: string) =>
    finishPrice(price, { vendor, owner })

  test("include the input price if a list has only the storage price", () => {
    const tiers = [{ above: 200_000, input: "4", output: "18" }]
    const price = { input: "2", cache_write: "0.375", output: "12", tiers }
    for (const vendor of ["openrouter", "requesty"]) {
      const { cache_write, tiers } = sold(price, vendor, "google")
      expect([cache_write, tiers?.[0]?.cache_write]).toEqual(["2.375", "4.375"])
    }
  })

  test("include five minutes of storage if a list has the storage price of an hour", () => {
    const tiers = [{ above: 200_000, input: "4", cache_write: "9", output: "18" }]
    const price = { input: "2", cache_write: "4.5", output: "12", tiers }
    const finished = sold(price, "requesty", "google")
    expect([finished.cache_write, finished.tiers?.[0]?.cache_write]).toEqual(["2.375", "4.75"])
    expect(sold(price, "requesty", "anthropic").cache_write).toBe("4.5")
  })

  test("equal the input price if a list has a lower price for writes", () => {
    const price = { input: "1.2", cache_write: "0.975", output: "6" }
    expect(sold(price, "openrouter", "qwen")).toEqual({ input: "1.2", output: "6" })
    expect(sold(price, "minimax", "minimax")).toEqual(price)
    const rounded = { ...price, cache_write: "1.19999" }
    expect(sold(rounded, "databricks", "openai")).toEqual(rounded)
  })

  test("rise with the input price of a tier that omits them", () => {
    const tiers = [{ above: 200_000, input: "4", output: "9" }]
    const price = { input: "2", cache_write: "2.5", output: "6", image_input: "2", tiers }
    expect(sold(price, "xai", "xai").tiers).toEqual([
      { above: 200_000, input: "4", cache_write: "5", output: "9", image_input: "4" },
    ])
  })

  test("have Alibaba's percentages of the input price if the lists have no cache prices", () => {
    const tiers = [{ above: 32_000, input: "2.4", output: "12" }]
    const price = { input: "1.2", output: "6", tiers }
    expect(sold(price, "alibaba", "qwen")).toMatchObject({
      cached_input: "0.24",
      cache_write: "1.5",
      tiers: [{ cached_input: "0.48", cache_write: "3" }],
    })
    const listed = { ...price, cached_input: "0.12", tiers: [] }
    expect(sold(listed, "alibaba", "qwen").cached_input).toBe("0.12")
  })

  test("equal 10 percent of the input price for Alibaba's marked caches, unless a list has a lower price", () => {
    const tiers = [
      { above: 32_000, input: "2.4", output: "12" },
      { above: 128_000, input: "3", cached_input: "0.2", output: "15" },
    ]
    const price = { input: "1.2", output: "6", tiers }
    expect(sold(price, "alibaba", "qwen").modes).toEqual({
      ephemeral: {
        input: "1.2",
        cached_input: "0.12",
        tiers: [
          { above: 32_000, input: "2.4", cached_input: "0.24" },
          { above: 128_000, input: "3", cached_input: "0.2" },
        ],
      },
    })
    const listed = { input: "1.2", cached_input: "0.12", output: "6" }
    expect(sold(listed, "alibaba", "qwen").modes).toBeUndefined()
    expect(sold({ input: "1.2", output: "6" }, "alibaba", "zai").modes).toBeUndefined()
  })
})
