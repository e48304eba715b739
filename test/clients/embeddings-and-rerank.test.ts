import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createOpenAI } from "@ai-sdk/openai"
import { embed, embedMany, rerank } from "ai"
import { CohereClient, CohereClientV2 } from "cohere-ai"
import { NotFoundError } from "openai"
import { withSandbox } from "../../src/config/sandbox.ts"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

const DOCUMENTS = ["rain in Spain", "Paris is the capital of France", "the capital of Italy"]
const QUERY = "capital of France"
const EMBED = "sandbox/embed"
const RERANK = "sandbox/rerank"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway()
  await gateway.app.apply(withSandbox(gateway.settings, gateway.simulator.url))
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

describe("OpenAI's client for embeddings", () => {
  test("requests base64 by default, and returns numbers", async () => {
    const { data, model, object, usage } = await caller.client.embeddings.create({
      model: EMBED,
      input: ["the cat sat", "rain"],
    })
    expect([object, model, data.length]).toEqual(["list", EMBED, 2])
    expect(data.map(({ index }) => index)).toEqual([0, 1])
    expect(Math.hypot(...(data[0]?.embedding ?? []))).toBeCloseTo(1, 5)
    expect(usage).toEqual({ prompt_tokens: 4, total_tokens: 4 })
  })

  test("gets the same numbers as floats", async () => {
    const input = "the cat sat"
    const usual = await caller.client.embeddings.create({ model: EMBED, input })
    const floats = await caller.client.embeddings.create({
      model: EMBED,
      input,
      encoding_format: "float",
    })
    const numbers = floats.data[0]?.embedding ?? []
    expect(numbers.length).toBe(256)
    expect((usual.data[0]?.embedding ?? []).map(Math.fround)).toEqual(numbers.map(Math.fround))
  })

  test("gets base64 unchanged on request", async () => {
    const { data } = await caller.client.embeddings.create({
      model: EMBED,
      input: "the cat sat",
      encoding_format: "base64",
      dimensions: 8,
    })
    expect(typeof data[0]?.embedding).toBe("string")
  })

  test("sends tokens instead of text as input", async () => {
    const { usage, data } = await caller.client.embeddings.create({
      model: EMBED,
      input: [
        [9906, 11, 1917, 0],
        [15, 16],
      ],
    })
    expect([usage.prompt_tokens, data.length]).toEqual([6, 2])
  })

  test("throws its own error classes", async () => {
    const failure = await caller.client.embeddings
      .create({ model: "sandbox/embde", input: "a" })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(NotFoundError)
    expect((failure as NotFoundError).message).toContain(EMBED)
  })
})

describe("the AI SDK for embeddings and reranking", () => {
  const openai = () => createOpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1` })

  test("embeds a single value", async () => {
    const model = openai().embedding(EMBED)
    const { embedding, usage } = await embed({ model, value: "the cat sat" })
    expect([embedding.length, usage.tokens]).toEqual([256, 3])
  })

  test("embeds more values than the SDK sends in one request", async () => {
    const model = openai().embedding(EMBED)
    const values = Array.from({ length: 300 }, (_, index) => `text ${index}`)
    const { embeddings } = await embedMany({ model, values })
    expect(embeddings.length).toBe(300)
    const { embedding } = await embed({ model, value: "text 299" })
    expect(embeddings[299]).toEqual(embedding)
  })

  test("reranks documents with a model", async () => {
    const { ranking, rerankedDocuments } = await rerank({
      model: {
        specificationVersion: "v4",
        provider: "tollgate",
        modelId: RERANK,
        async doRerank({ documents, query, topN }) {
          const body = { model: RERANK, query, documents: documents.values, top_n: topN }
          const response = await caller.post("/v1/rerank", body)
          const { results } = (await response.json()) as {
            results: { index: number; relevance_score: number }[]
          }
          return {
            ranking: results.map(({ index, relevance_score }) => ({
              index,
              relevanceScore: relevance_score,
            })),
          }
        },
      },
      query: QUERY,
      documents: DOCUMENTS,
      topN: 2,
    })
    expect(ranking.map(({ originalIndex }) => originalIndex)).toEqual([1, 2])
    expect(rerankedDocuments[0]).toBe(DOCUMENTS[1] ?? "")
  })
})

describe("Cohere's client for reranking", () => {
  test("reranks at Cohere's newer address", async () => {
    const client = new CohereClientV2({ token: caller.key, environment: gateway.url })
    const { results } = await client.rerank({
      model: RERANK,
      query: QUERY,
      documents: DOCUMENTS,
      topN: 2,
    })
    expect(results.map(({ index }) => index)).toEqual([1, 2])
    expect(results[0]?.relevanceScore).toBeGreaterThan(results[1]?.relevanceScore ?? 1)
  })

  test("reranks at Cohere's older address, with documents as objects", async () => {
    const client = new CohereClient({ token: caller.key, environment: gateway.url })
    const { results } = await client.rerank({
      model: RERANK,
      query: QUERY,
      documents: DOCUMENTS.map((text) => ({ text })),
      returnDocuments: true,
      topN: 1,
    })
    expect(results).toMatchObject([{ index: 1, document: { text: DOCUMENTS[1] } }])
  })

  test("receives results without documents unless it requests documents", async () => {
    const client = new CohereClient({ token: caller.key, environment: gateway.url })
    const { results } = await client.rerank({
      model: RERANK,
      query: QUERY,
      documents: DOCUMENTS,
      returnDocuments: false,
    })
    expect(results.map(({ document }) => document)).toEqual([undefined, undefined, undefined])
  })
})
