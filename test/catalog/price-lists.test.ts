import { describe, expect, test } from "bun:test"
import { buildFacts } from "../../scripts/build-facts.ts"
import { type ListQuote, settle } from "../../scripts/facts/consensus.ts"
import { disputesPage } from "../../scripts/facts/disputes-page.ts"
import { genaiPricesIn, modelsDevIn, type PublishedList } from "../../scripts/facts/packages.ts"
import { renderFacts } from "../../scripts/facts/render.ts"
import { comparable, finishPrice } from "../../scripts/facts/finish-price.ts"
import { asFactor, finishMode } from "../../scripts/facts/modes.ts"
import type { Price, TieredRates } from "../../scripts/facts/shape.ts"
import { vendorSources } from "../../scripts/facts/vendors.ts"
import { factsPath } from "./known-facts.ts"

const DATES = { "genai-prices": "2026-11-09", "models.dev": "2026-09-30", LiteLLM: "2026-11-23" }

function quotes(prices: Partial<Record<keyof typeof DATES, Price>>): ListQuote[] {
  return Object.entries(prices).map(([name, price]) => {
    const list = name as keyof typeof DATES
    return { list, date: DATES[list], price }
  })
}

describe("lists that disagree", () => {
  const two = { input: "2", output: "8" }
  const three = { input: "3", output: "9" }

  test("two of three win, and the dispute names all values and the rule", () => {
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

  test("a price is taken as a whole: not the input of one list with the output of another", () => {
    const mixed = {
      "genai-prices": { input: "2", output: "8" },
      LiteLLM: { input: "1", output: "9" },
    }
    expect(settle(quotes(mixed), "chat", { maker: "acme" })?.price).toEqual(mixed.LiteLLM)
  })

  test("if no two lists agree, makers get the newest price and resellers the highest", () => {
    const said = quotes({ "models.dev": three, LiteLLM: two })
    expect(settle(said, "chat", { maker: "acme" })?.price).toEqual(two)
    expect(settle(said, "chat", {})?.price).toEqual(three)
    expect(settle(said, "chat", {})?.disputes.map(({ rule }) => rule)).toEqual([
      "highest",
      "highest",
    ])
  })

  test("a tier combines the classes of all lists and needs an input or output price", () => {
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

  test("tiers of another list apply to a reseller, but never below the chosen price", () => {
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

  test("what rounding makes of a price is no dispute", () => {
    const said = quotes({ "models.dev": { input: "0.3333" }, LiteLLM: { input: "0.333333333" } })
    expect(settle(said, "embedding", {})?.disputes).toEqual([])
  })

  test("a class that one list has is kept, unless it cannot be part of this price", () => {
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

describe("modes of service in the lists", () => {
  const price = { input: "1", cached_input: "0.1", output: "4" }
  const flex = { input: "0.5", output: "2" }

  test("a list completes the classes that another list lacks", () => {
    const more = { ...flex, cached_input: "0.1" }
    const said = quotes({
      "genai-prices": { ...price, modes: { flex } },
      LiteLLM: { ...price, modes: { flex: more, priority: "2" } },
    })
    expect(settle(said, "chat", {})?.price.modes).toEqual({ flex: more, priority: "2" })
  })

  test("the first list with the chosen price wins", () => {
    const said = quotes({
      "genai-prices": { ...price, modes: { flex: { ...flex, cached_input: "0.06" } } },
      LiteLLM: { ...price, modes: { flex: { ...flex, cached_input: "0.05" } } },
    })
    expect(settle(said, "chat", {})?.price.modes?.["flex"]).toMatchObject({ cached_input: "0.06" })
  })

  test("a list with another price counts by its highest factor", () => {
    const said = quotes({
      "models.dev": { input: "3", output: "9", modes: { flex: { input: "1.5", output: "6" } } },
      LiteLLM: price,
    })
    expect(settle(said, "chat", { maker: "acme" })?.price.modes).toEqual({ flex: "0.666667" })
  })

  const finished = (own: Price, mode: TieredRates) => finishMode(mode, own)

  test("one factor for all classes is stored as a factor", () => {
    expect(finished(price, { input: "0.5", cached_input: "0.05", output: "2" })).toBe("0.5")
    expect(finished(price, { input: "1.8", output: "7.2" })).toBe("1.8")
    // The cache reads may not be cheaper.
    expect(finished(price, flex)).toEqual(flex)
  })

  test("a class that costs as much as its parent class does so in a mode", () => {
    const own = { ...price, audio_input: "1" }
    expect(finished(own, { ...flex, cached_input: "0.1" })).toEqual({
      ...flex,
      cached_input: "0.1",
      audio_input: "0.5",
    })
  })

  test("mistakes, zeros, other classes and other tiers are left out", () => {
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
    expect(finished(own, listed)).toEqual({ ...flex, tiers: [{ above: 1_000, input: "1" }] })
    expect(finished(price, { image_output: "30" })).toBeUndefined()
  })

  test("the output of an image model is its text if both have a price", () => {
    const own = { input: "0.3", output: "2.5", image_output: "30" }
    const modes = { flex: { input: "0.15", output: "1.25" } }
    const made = finishPrice(comparable({ ...own, modes }, "image", false), "google")
    expect(made).toEqual({ ...own, modes })
    const single = { input: "0.3", output: "30" }
    const half = { flex: { input: "0.15", output: "15" } }
    const images = finishPrice(comparable({ ...single, modes: half }, "image", false), "google")
    expect(images).toEqual({ ...single, modes: { flex: "0.5" } })
  })

  test("prices that change over time have a factor for a mode", () => {
    expect(asFactor({ ...flex, cached_input: "0.06" }, price)).toBe("0.6")
    expect(asFactor(flex, price)).toBe("1")
  })
})

describe("lists inside packages", () => {
  test("genai-prices is read from Python without running it", () => {
    const source = `
providers: list[Provider] = [
    Provider(
        id='openai',  # a comment
        name='Open' 'AI\\'s',
        models=[
            ModelInfo(
                id='gpt',
                match=ClauseOr(or_=[ClauseEquals(equals='gpt')]),
                prices=[
                    ConditionalPrice(
                        constraint=StartDateConstraint(start_date=datetime.date(2026, 9, 1)),
                        prices=ModelPrice(input_mtok=Decimal('0.15')),
                    ),
                ],
                deprecated=True,
                context_window=None,
            )
        ],
    ),
]
`
    expect(genaiPricesIn(source)).toEqual([
      {
        id: "openai",
        name: "OpenAI's",
        models: [
          {
            id: "gpt",
            match: { or: [{ equals: "gpt" }] },
            prices: [{ constraint: { start_date: "2026-09-01" }, prices: { input_mtok: 0.15 } }],
            deprecated: true,
            context_window: null,
          },
        ],
      },
    ])
    expect(() => genaiPricesIn("providers: list = [1 + 1]")).toThrow(SyntaxError)
  })

  test("models.dev is read from the middle of a program", () => {
    const list =
      '{acme:{id:"acme",env:["KEY"],models:{"a-1":{id:"a-1",tool_call:!0,cost:{input:.5}}}}}'
    const program = Buffer.concat([Buffer.from([0, 255, 195]), Buffer.from(`;var x=${list},y=f()`)])
    expect(modelsDevIn(program)).toEqual({
      acme: {
        id: "acme",
        env: ["KEY"],
        models: { "a-1": { id: "a-1", tool_call: true, cost: { input: 0.5 } } },
      },
    })
    expect(() => modelsDevIn(Buffer.from("no list"))).toThrow("contains no list")
  })
})

/** Lists in which every vendor is, with models of OpenAI only. */
function lists(): PublishedList[] {
  const empty = (key: "modelsDev" | "genaiPrices"): string[] =>
    Object.values(vendorSources).flatMap((source) => source[key] ?? [])
  const chat = { modalities: { input: ["text"], output: ["text"] } }
  const modelsDev: Record<string, { models: object }> = Object.fromEntries(
    empty("modelsDev").map((id) => [id, { models: {} }]),
  )
  modelsDev["openai"] = {
    models: {
      "gpt-a": { ...chat, release_date: "2026-01-01", cost: { input: 2, output: 8 } },
      "gpt-old": { ...chat, status: "deprecated", cost: { input: 2, output: 8 } },
      "gpt-ending": { ...chat, status: "deprecated", cost: { input: 2, output: 8 } },
      "gpt-zero": { ...chat, cost: { input: 0, output: 0 } },
    },
  }
  modelsDev["perplexity"] = {
    models: { "sonar-new": { ...chat, release_date: "2026-01-01", cost: { input: 1, output: 2 } } },
  }
  const genaiPrices = [...new Set(empty("genaiPrices"))].map((id) => ({
    id,
    models: [] as unknown[],
  }))
  const quote = (id: string, prices: object): object => ({ id, match: { equals: id }, prices })
  genaiPrices
    .find(({ id }) => id === "openai")
    ?.models.push(
      quote("gpt-a", { input_mtok: 3, output_mtok: 9 }),
      quote("gpt-b", { input_mtok: 1, output_mtok: 4, cache_read_mtok: 0.1 }),
      quote("gpt-misspelt", { input_mtok: 1, output_mtok: 4 }),
      quote("gpt-ending", [
        { prices: { input_mtok: 2, output_mtok: 8 } },
        { prices: { input_mtok: 4 }, constraint: { start_date: "2026-12-01" } },
      ]),
    )
  genaiPrices
    .find(({ id }) => id === "perplexity")
    ?.models.push(quote("sonar-new", { input_mtok: 1, output_mtok: 2, requests_kcount: 12 }))
  const openai = { litellm_provider: "openai", mode: "chat" }
  const liteLlm = {
    "gpt-a": { ...openai, input_cost_per_token: 3e-6, output_cost_per_token: 9e-6 },
    "gpt-b": {
      ...openai,
      input_cost_per_token: 1e-6,
      output_cost_per_token: 4e-6,
      output_cost_per_token_priority: 8e-6,
      input_cost_per_token_flex: 0.5e-6,
      output_cost_per_token_flex: 2e-6,
      cache_read_input_token_cost_flex: 0.1e-6,
      input_cost_per_token_above_200k_tokens_flex: 1e-6,
      input_cost_per_token_above_200k_tokens: 2e-6,
      output_cost_per_token_above_200k_tokens: 6e-6,
      supports_vision: true,
    },
    "gpt-ending": { ...openai, deprecation_date: "2027-01-01", input_cost_per_token: 2e-6 },
    "gpt-zero": { ...openai, input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 },
    "low/1024-x-1024/gpt-image": {
      ...openai,
      mode: "image_generation",
      output_cost_per_image: 0.01,
    },
    "image-1": { ...openai, mode: "image_generation", output_cost_per_image: 0.04 },
    "perplexity/sonar-new": {
      litellm_provider: "perplexity",
      mode: "chat",
      input_cost_per_token: 1e-6,
      output_cost_per_token: 2e-6,
      search_context_cost_per_query: {
        search_context_size_low: 0.005,
        search_context_size_medium: 0.008,
        search_context_size_high: 0.012,
      },
    },
  }
  const azure = { litellm_provider: "azure", mode: "chat", input_cost_per_token: 1e-6 }
  const priced = { ...azure, output_cost_per_token: 2e-6 }
  const alone = {
    "azure/gpt-dated": { ...priced, deprecation_date: "2027-01-01" },
    "azure/gpt-ended": { ...priced, deprecation_date: "2026-01-01", source: "https://a.test" },
    "azure/gpt-sourced": { ...priced, source: "https://a.test/prices" },
    "azure/gpt-unsourced": priced,
    "azure/GPT-Listed": { ...priced, source: "https://a.test/prices" },
    "dashscope/qwen-ranges": {
      ...priced,
      litellm_provider: "dashscope",
      deprecation_date: "2027-01-01",
      input_cost_per_token: undefined,
      output_cost_per_token: undefined,
      tiered_pricing: [
        { range: [32_000, 128_000], input_cost_per_token: 2e-6, output_cost_per_token: 6e-6 },
        { range: [0, 32_000], input_cost_per_token: 1e-6, output_cost_per_token: 3e-6 },
      ],
    },
    "deepgram/voice": { litellm_provider: "deepgram", input_cost_per_character: 3e-5 },
    "deepgram/ears": {
      litellm_provider: "deepgram",
      mode: "audio_transcription",
      input_cost_per_second: 1e-4,
    },
    "xai/bge-embed": { ...priced, litellm_provider: "xai", mode: "embedding" },
  }
  Object.assign(liteLlm, alone)
  modelsDev["azure"] = { models: { "gpt-listed": { ...chat, cost: { input: 1, output: 2 } } } }
  modelsDev["vercel"] = {
    models: {
      "a/free-of-charge": { ...chat, cost: { input: 0, output: 0 } },
      "a/b-free": { ...chat, cost: { input: 0, output: 0 } },
    },
  }
  const contents = { "models.dev": modelsDev, "genai-prices": genaiPrices, LiteLLM: liteLlm }
  return Object.entries(contents).map(([name, content]) => {
    return { name, package: `${name} 1`, date: DATES[name as keyof typeof DATES], content }
  })
}

describe("facts from lists", () => {
  const built = buildFacts(lists(), "2026-11-23")
  const models = built.facts.vendors["openai"] ?? {}

  test("a model of two lists is known though models.dev lacks it; one of a single list is not", () => {
    expect(models["gpt-b"]).toEqual({
      kind: "chat",
      owner: "openai",
      input: ["text", "image"],
      price: {
        input: "1",
        cached_input: "0.1",
        output: "4",
        tiers: [{ above: 200_000, input: "2", output: "6" }],
        modes: {
          priority: "2",
          flex: {
            input: "0.5",
            cached_input: "0.1",
            output: "2",
            tiers: [{ above: 200_000, input: "1" }],
          },
        },
      },
      priced: "2026-11-23",
    })
    expect(models["gpt-misspelt"]).toBeUndefined()
  })

  test("requests have a price for each search context size", () => {
    expect(built.facts.vendors["perplexity"]?.["sonar-new"]?.price).toEqual({
      input: "1",
      output: "2",
      request: "12000",
      request_medium: "8000",
      request_low: "5000",
    })
  })

  test("a model that is to be withdrawn is known until then", () => {
    expect(models["gpt-old"]).toBeUndefined()
    expect(models["gpt-ending"]).toBeDefined()
  })

  test("an announced price without a schedule is reported", () => {
    expect(built.notes.of("price change announced, without a schedule")).toEqual([
      "openai/gpt-ending from 2026-12-01",
    ])
  })

  test("a price of nothing does not win against one of something", () => {
    expect(models["gpt-zero"]?.price).toMatchObject({ input: "1", output: "1" })
  })

  test("a LiteLLM entry suffices if it has a withdrawal date or the page of the price", () => {
    expect(Object.keys(built.facts.vendors["azure"] ?? {})).toEqual([
      "gpt-listed",
      "gpt-dated",
      "gpt-sourced",
    ])
  })

  test("models other than chat models are taken from LiteLLM alone if the gateway can call them", () => {
    expect(built.facts.vendors["deepgram"]).toMatchObject({
      voice: { kind: "speech", price: { character: "30" } },
      ears: { kind: "transcription", price: { second: "100" } },
    })
    expect(built.facts.vendors["xai"]).toEqual({})
  })

  test("prices by input range become tiers", () => {
    expect(built.facts.vendors["alibaba"]?.["qwen-ranges"]?.price).toEqual({
      input: "1",
      output: "3",
      tiers: [{ above: 32_000, input: "2", output: "6" }],
    })
  })

  test("a price of 0 counts as unknown unless the model's name marks it as free", () => {
    expect(built.facts.vendors["vercel"]?.["a/free-of-charge"]?.price).toBeUndefined()
    expect(built.facts.vendors["vercel"]?.["a/b-free"]?.price).toEqual({ input: "0", output: "0" })
  })

  test("images have their price by the image; a size is no model", () => {
    expect(models["image-1"]).toMatchObject({ kind: "image", price: { image: "40000" } })
    expect(Object.keys(models).filter((name) => name.includes("/"))).toEqual([])
  })

  test("the page lists what was disputed, with what each list said", () => {
    const page = disputesPage(built.facts, built.disputes)
    expect(page).toContain("| `openai/gpt-a` | `input` | 3 | 2 | 3 | **3** | two of three |")
    expect(page).toContain("| LiteLLM | LiteLLM 1 | 2026-11-23 |")
  })

  test("the committed file is in the form that the script writes", async () => {
    const committed = (await Bun.file(factsPath).json()) as typeof built.facts
    expect(renderFacts(committed)).toBe(await Bun.file(factsPath).text())
  })
})
