import { describe, expect, test } from "bun:test"
import { numbersOf } from "../../../src/canon/vectors.ts"
import { responseOf, decoded } from "./support.ts"

const TWO = { input: ["one", "two"] }
const SEVERAL = { input: ["one", "two", "three", "four"] }

describe("the Cohere embedding decoder", () => {
  test("reads vectors from a list per type, and the billed tokens", async () => {
    const response = responseOf({
      embeddings: {
        float: [
          [1, 0],
          [0, 1],
        ],
      },
      meta: { billed_units: { input_tokens: 5 } },
    })
    const { vectors, tokens } = await decoded("cohere", [response], TWO)
    expect(vectors.map((vector) => [...numbersOf(vector)])).toEqual([
      [1, 0],
      [0, 1],
    ])
    expect(tokens).toBe(5)
  })

  test("accepts a list of vectors without a type and without billed tokens", async () => {
    const { vectors, tokens } = await decoded("cohere", [responseOf({ embeddings: [[0.5, 0.5]] })])
    expect(vectors.map((vector) => [...numbersOf(vector)])).toEqual([[0.5, 0.5]])
    expect(tokens).toBe(0)
  })
})

describe("the Vertex AI embedding decoder", () => {
  const prediction = (values: number[], tokens?: number) => ({
    embeddings: { values, ...(tokens !== undefined && { statistics: { token_count: tokens } }) },
  })

  test("reads a prediction for each text and adds up the tokens", async () => {
    const response = responseOf({ predictions: [prediction([3, 4], 2), prediction([0, 1], 3)] })
    const { vectors, tokens } = await decoded("vertex", [response], TWO)
    expect(vectors.map((vector) => [...numbersOf(vector)])).toEqual([
      [3, 4],
      [0, 1],
    ])
    expect(tokens).toBe(5)
  })

  test("normalizes shortened vectors to a length of one", async () => {
    const response = responseOf({ predictions: [prediction([3, 4])] })
    const { vectors, tokens } = await decoded("vertex", [response], { dimensions: 2 })
    expect([...numbersOf(vectors[0] ?? [])]).toEqual([expect.closeTo(0.6), expect.closeTo(0.8)])
    expect(tokens).toBe(0)
  })

  test.each([{ predictions: [{}] }, { predictions: [{ embeddings: {} }] }])(
    "rejects a response without vectors: %j",
    async (body) => {
      await expect(decoded("vertex", [responseOf(body)])).rejects.toMatchObject({
        kind: "upstream_error",
      })
    },
  )
})

describe("the token count of an embedding that is split into several calls", () => {
  const float = { float: [[1, 0]] }
  const vectors = [{ index: 0, embedding: [1, 0] }]
  const values = { values: [1, 0] }
  const openai = (usage?: object) => ({ data: vectors, ...(usage && { usage }) })
  const cohere = (meta?: object) => ({ embeddings: float, ...(meta && { meta }) })
  const google = (usageMetadata?: object) => ({
    embeddings: [values],
    ...(usageMetadata && { usageMetadata }),
  })
  const vertex = (...counts: (number | undefined)[]) => ({
    predictions: counts.map((token_count) => ({
      embeddings: { ...values, statistics: { token_count } },
    })),
  })
  const counted = {
    openai: openai({ prompt_tokens: 4 }),
    cohere: cohere({ billed_units: { input_tokens: 4 } }),
    google: google({ promptTokenCount: 4 }),
    vertex: vertex(4, 0),
    bedrock: { embedding: [1, 0], inputTextTokenCount: 4 },
  }
  const cases: [keyof typeof counted, string, object][] = [
    ["openai", "has no usage", openai()],
    ["openai", "counts nothing", openai({ prompt_tokens: 0 })],
    ["openai", "reports text instead of a number", openai({ prompt_tokens: "four" })],
    ["cohere", "has no usage", cohere()],
    ["cohere", "counts nothing", cohere({ billed_units: { input_tokens: 0 } })],
    ["google", "counts nothing", google({ promptTokenCount: 0 })],
    ["vertex", "omits one text", vertex(4, undefined)],
    ["vertex", "counts nothing", vertex(0)],
    ["bedrock", "has no usage", { embedding: [1, 0] }],
    ["bedrock", "counts nothing", { embedding: [1, 0], inputTextTokenCount: 0 }],
  ]

  test.each(cases)("stays 0 if one call to %s %s", async (vendor, _, uncounted) => {
    const whole = responseOf(counted[vendor])
    const other = responseOf(uncounted)
    expect((await decoded(vendor, [whole, whole], SEVERAL)).tokens).toBe(8)
    expect((await decoded(vendor, [whole, other], SEVERAL)).tokens).toBe(0)
    expect((await decoded(vendor, [other, whole], SEVERAL)).tokens).toBe(0)
  })

  test("stays undefined if one call to google has no usage", async () => {
    const responses = [responseOf(counted.google), responseOf(google())]
    expect((await decoded("google", responses, SEVERAL)).tokens).toBeUndefined()
  })
})
