import { describe, expect, test } from "bun:test"
import { buildFacts } from "../../scripts/build-facts.ts"
import { disputesPage } from "../../price-data/disputes-page.ts"
import { listingsOf, modelsDevSchema } from "../../price-data/models-dev.ts"
import { genaiPricesIn, modelsDevIn } from "../../price-data/packages.ts"
import { renderFacts } from "../../price-data/render.ts"
import { factsPath } from "./known-facts.ts"
import { publishedLists } from "./published-lists.ts"

describe("the price list reader", () => {
  test("reads the Python file of genai-prices without running it", () => {
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

  test("finds the list of models.dev within a compiled program", () => {
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

test("a tier of models.dev begins after a round number, even if the list has its first number", () => {
  const tiers = [32_001, 200_000].map((size) => ({ input: 2, tier: { type: "context", size } }))
  const models = { "a/b": { cost: { input: 1, tiers } } }
  const source = modelsDevSchema.parse({ vercel: { models } })
  const [listing] = listingsOf(source, "vercel")
  expect(listing?.price?.tiers?.map(({ above }) => above)).toEqual([32_000, 200_000])
})

describe("facts from price lists", () => {
  const built = buildFacts(publishedLists(), "2026-11-23")
  const models = built.facts.vendors["openai"] ?? {}

  test("include a model of two lists without models.dev, and exclude a model of a single list", () => {
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

  test("include a request price for each search context size", () => {
    expect(built.facts.vendors["perplexity"]?.["sonar-new"]?.price).toEqual({
      input: "1",
      output: "2",
      request: "12000",
      request_medium: "8000",
      request_low: "5000",
    })
  })

  test("exclude models after their withdrawal date", () => {
    expect(models["gpt-old"]).toBeUndefined()
    expect(models["gpt-ending"]).toBeDefined()
  })

  test("report an announced price change without a schedule", () => {
    expect(built.notes.of("price change announced, without a schedule")).toEqual([
      "openai/gpt-ending from 2026-12-01",
    ])
  })

  test("keep a positive price if another list has a price of zero", () => {
    expect(models["gpt-zero"]?.price).toMatchObject({ input: "1", output: "1" })
  })

  test("include a LiteLLM entry only if it has a withdrawal date or the page of the price", () => {
    expect(Object.keys(built.facts.vendors["azure"] ?? {})).toEqual([
      "gpt-listed",
      "gpt-dated",
      "gpt-sourced",
    ])
  })

  test("include models other than chat only from LiteLLM, if the gateway can call them", () => {
    expect(built.facts.vendors["deepgram"]).toMatchObject({
      voice: { kind: "speech", price: { character: "30" } },
      ears: { kind: "transcription", price: { second: "100" } },
    })
    expect(built.facts.vendors["xai"]).toEqual({})
  })

  test("include prices by input range as tiers", () => {
    expect(built.facts.vendors["alibaba"]?.["qwen-ranges"]?.price).toMatchObject({
      input: "1",
      output: "3",
      tiers: [{ above: 32_000, input: "2", output: "6" }],
    })
  })

  test("treat a price of 0 as unknown unless the model's name marks the model as free", () => {
    expect(built.facts.vendors["vercel"]?.["a/free-of-charge"]?.price).toBeUndefined()
    expect(built.facts.vendors["vercel"]?.["a/b-free"]?.price).toEqual({ input: "0", output: "0" })
  })

  test("include a price per image, and do not treat a size as a model", () => {
    expect(models["image-1"]).toMatchObject({ kind: "image", price: { image: "40000" } })
    expect(Object.keys(models).filter((name) => name.includes("/"))).toEqual([])
  })

  test("have a page with each dispute and the value of each list", () => {
    const page = disputesPage(built.facts, built.disputes)
    expect(page).toContain("| `openai/gpt-a` | `input` | 3 | 2 | 3 | **3** | two of three |")
    expect(page).toContain("| LiteLLM | LiteLLM 1 | 2026-11-23 |")
  })

  test("have the format of the committed file", async () => {
    const committed = (await Bun.file(factsPath).json()) as typeof built.facts
    expect(renderFacts(committed)).toBe(await Bun.file(factsPath).text())
  })
})
