import { GoogleGenAI } from "@google/genai"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller

const EMBEDDING = { kind: "embedding", price: { input: "1" } } as const
const MODELS = ["sim/embed", "google/gemini-embedding-001"] as const

beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({ google: provider(url, "google") }),
    models: Object.fromEntries(MODELS.map((id) => [id, EMBEDDING])),
  })
  caller = await gateway.caller()
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

test.each(MODELS)(
  "Google's client gets embeddings of %s and is charged for them",
  async (model) => {
    const client = new GoogleGenAI({ apiKey: caller.key, httpOptions: { baseUrl: gateway.url } })
    const before = await caller.balance()
    const { embeddings } = await client.models.embedContent({
      model,
      contents: ["One text", "another"],
      config: { taskType: "RETRIEVAL_QUERY" },
    })
    expect(embeddings).toHaveLength(2)
    for (const { values } of embeddings ?? []) expect(values?.length).toBeGreaterThan(1)
    expect(await caller.balance()).toBeLessThan(before)
  },
)

test.each([
  ["content", {}],
  ["content", { content: { parts: [] } }],
  ["content.parts[0]", { content: { parts: [{ inlineData: {} }] } }],
])("an invalid %s is named in Google's error format", async (field, body) => {
  const response = await caller.post("/v1beta/models/sim/embed:embedContent", body)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { status: "INVALID_ARGUMENT", details: [{}, { fieldViolations: [{ field }] }] },
  })
})

test("a batch is rejected if its requests differ in anything but their text", async () => {
  const content = { parts: [{ text: "One text" }] }
  const response = await caller.post("/v1beta/models/sim/embed:batchEmbedContents", {
    requests: [{ content }, { content, output_dimensionality: 8 }],
  })
  expect(await response.json()).toMatchObject({
    error: { details: [{}, { fieldViolations: [{ field: "requests[1].outputDimensionality" }] }] },
  })
})

test("a single text in snake case gets one vector and an estimate", async () => {
  const body = { content: { parts: [{ text: "One text" }] }, task_type: "CLUSTERING" }
  const path = "/v1beta/models/sim/embed:embedContent"
  const response = await caller.post(path, body)
  expect(await response.json()).toMatchObject({
    embedding: { values: expect.any(Array) },
    usageMetadata: { promptTokenCount: expect.any(Number) },
  })
  const told = await caller.post("/v1/estimate", { path, body })
  expect(await told.json()).toMatchObject({ is_covered: true, parts: [{ model: "sim/embed" }] })
})

test.each([
  ["embedContent", { content: { parts: { text: "One text" } }, outputDimensionality: "8" }],
  [
    "batchEmbedContents",
    { requests: [{ content: { parts: { text: "One text" } }, output_dimensionality: "8" }] },
  ],
])("%s accepts numbers as strings, and a single part outside of a list", async (method, body) => {
  const response = await caller.post(`/v1beta/models/sim/embed:${method}`, body)
  const { embedding, embeddings } = (await response.json()) as {
    readonly embedding?: { readonly values: readonly number[] }
    readonly embeddings?: readonly { readonly values: readonly number[] }[]
  }
  expect((embedding ?? embeddings?.[0])?.values).toHaveLength(8)
})

const LOSSES = {
  "google/gemini-embedding-001": "autoTruncate:dropped",
  "sim/embed": "autoTruncate:dropped, title:dropped, task_type:dropped",
} as const

test.each(MODELS)("fields that %s does not support are reported and not sent", async (model) => {
  const response = await caller.post(`/v1beta/models/${model}:embedContent`, {
    content: { parts: [{ text: "One text" }] },
    taskType: "RETRIEVAL_DOCUMENT",
    title: "A title",
    autoTruncate: true,
  })
  expect(response.headers.get("x-tollgate-losses")).toBe(LOSSES[model])
  const sent = JSON.stringify(gateway.simulator.requests.at(-1)?.body)
  expect(sent).not.toContain("autoTruncate")
  expect(sent.includes("A title")).toBe(model !== "sim/embed")
})
