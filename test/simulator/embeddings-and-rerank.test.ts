import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Simulator, startSimulator } from "../../simulator/server.ts"
import { recordedAt } from "../support/recorded-operations.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../support/recordings.ts"

const ADDRESSES =
  /\/embeddings$|\/v2\/embed$|:batchEmbedContents$|embedding-\d+:predict$|\.embed-[^/]*\/invoke$|\/rerank$/

/** Members that exist in the responses of some models of a vendor and not in others. */
const VARYING = new Set(["id", "provider", "meta", "metadata", "usageMetadata"])

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(async () => {
  await simulator.stop()
})

function ask(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(simulator.url + path, {
    method: "POST",
    headers: { authorization: "Bearer any", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })
}

function membersOf(value: unknown): string[] {
  return Object.keys(value as object).filter((name) => !VARYING.has(name))
}

describe.skipIf(!HAS_FIXTURES)(
  `simulated vendors with recorded requests${WITHOUT_FIXTURES}`,
  () => {
    for (const { id, url, request, status, body } of recordedAt(ADDRESSES)) {
      if (status !== 200) continue
      test(`return a response with the same fields as the recording: ${id}`, async () => {
        const path = new URL(url).pathname.replace(/^\/api\//, "/")
        const response = await ask(path, request)
        const text = await response.text()
        expect([response.status, response.ok ? "" : text]).toEqual([200, ""])
        expect(membersOf(JSON.parse(text)).toSorted()).toEqual(membersOf(body).toSorted())
      })
    }
  },
)

describe("validation of embedding and rerank requests in the simulator", () => {
  const input = ["a"]
  const batch = (count: number) => Array.from({ length: count }, () => "a")
  const requests = (count: number) =>
    batch(count).map((text) => ({
      model: "models/gemini-embedding-001",
      content: { parts: [{ text }] },
    }))
  const BATCH = "/v1beta/models/gemini-embedding-001:batchEmbedContents"
  const PREDICT = "/v1/projects/p/locations/l/publishers/google/models/gemini-embedding-001:predict"
  const TITAN = "/model/amazon.titan-embed-text-v1/invoke"
  const cases: [string, string, unknown][] = [
    ["an unknown field", "/v1/embeddings", { model: "embed", input, input_type: "query" }],
    ["no input", "/v1/embeddings", { model: "embed", input: [] }],
    ["an excessive number of inputs", "/v1/embeddings", { model: "embed", input: batch(2_049) }],
    [
      "more inputs than Mistral accepts",
      "/v1/embeddings",
      { model: "mistral-embed", input: batch(257) },
    ],
    [
      "a float encoding for Perplexity",
      "/v1/embeddings",
      { model: "pplx-embed-v1-4b", input, encoding_format: "float" },
    ],
    ["tokens for Voyage", "/v1/embeddings", { model: "voyage-3", input: [[1]] }],
    [
      "unsupported dimensions for Voyage",
      "/v1/embeddings",
      { model: "voyage-3", input, dimensions: 8 },
    ],
    [
      "an encoding format for Jina",
      "/v1/embeddings",
      { model: "jina-v3", input, encoding_format: "float" },
    ],
    ["no input type for Cohere", "/v2/embed", { model: "embed-v4.0", texts: ["a"] }],
    [
      "more inputs than Cohere accepts",
      "/v2/embed",
      { model: "e", texts: batch(97), input_type: "clustering" },
    ],
    ["more inputs than Gemini accepts", BATCH, { requests: requests(101) }],
    [
      "two texts for a Gemini model on Vertex",
      PREDICT,
      { instances: [{ content: "a" }, { content: "b" }] },
    ],
    ["dimensions for the first Titan model", TITAN, { inputText: "a", dimensions: 256 }],
    [
      "top_n for Voyage",
      "/v1/rerank",
      { model: "rerank-2", query: "a", documents: input, top_n: 1 },
    ],
    [
      "rank_fields for Cohere",
      "/v2/rerank",
      { model: "r", query: "a", documents: input, rank_fields: [] },
    ],
    ["no documents", "/v1/rerank", { model: "rerank", query: "a", documents: [] }],
    ["invalid JSON", "/v1/rerank", "{"],
  ]
  for (const [name, path, body] of cases) {
    test(`rejects ${name}`, async () => expect((await ask(path, body)).status).toBe(400))
  }

  test("rejects an invalid credential with the status that each vendor uses", async () => {
    const headers = { authorization: "Bearer wrong" }
    const statuses = await Promise.all(
      ["/v1/embeddings", "/v2/embed", "/v1/rerank", "/v2/rerank", BATCH, TITAN].map(
        async (path) => (await ask(path, { model: "m" }, headers)).status,
      ),
    )
    expect(statuses).toEqual([401, 401, 401, 401, 400, 403])
  })
})

test("the embeddings simulator simulates the fault that a header names", async () => {
  const body = { model: "embed", input: "the cat sat" }
  const faulty = (fault: string) => ask("/v1/embeddings", body, { "x-simulate-fault": fault })
  expect((await faulty("429")).status).toBe(429)
  expect(await (await faulty("no-usage")).json()).not.toHaveProperty("usage")
  expect(await (await faulty("wrong-usage")).json()).toMatchObject({ usage: { prompt_tokens: 0 } })
  expect((await faulty("no-such-fault")).status).toBe(400)
  expect(await (await faulty("malformed")).json().catch(() => "broken")).toBe("broken")
})

test("simulated vectors of two texts are more similar if the texts share more words", async () => {
  const response = await ask("/v1/embeddings", {
    model: "embed",
    input: ["the cat sat", "the cat ran", "rain"],
  })
  const { data } = (await response.json()) as { data: { embedding: number[] }[] }
  const [cat = [], ran = [], rain = []] = data.map(({ embedding }) => embedding)
  const product = (left: number[], right: number[]) =>
    left.reduce((sum, number, index) => sum + number * (right[index] ?? 0), 0)
  expect(product(cat, cat)).toBeCloseTo(1, 5)
  expect(product(cat, ran)).toBeGreaterThan(product(cat, rain) + 0.3)
})
