import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ModelSettings, ProviderSettings } from "../../../../src/config/settings.ts"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import {
  errorOf,
  nanocredits,
  nothingHeld,
  type Receipt,
  receiptOf,
  receiptsOf,
} from "../../support.ts"

const PATH = "/v1/rerank"
const QUERY = "capital of France"
const DOCUMENTS = ["rain in Spain", "Paris is the capital of France", "the capital of Italy"]
const BY_SEARCH = { search: "2000" }
const BY_TOKEN = { input: "1" }

let gateway: TestGateway

function model(
  at: string,
  name: string,
  price: ModelSettings["price"],
  kind: ModelSettings["kind"] = "rerank",
): ModelSettings {
  return {
    kind,
    ...(price && { price }),
    deployments: [{ provider: at, model: name, weight: 1 }],
  }
}

const MODELS: Readonly<Record<string, ModelSettings>> = {
  "all/cohere": model("cohere", "rerank-v3.5", BY_SEARCH),
  "all/jina": model("jina", "jina-reranker-v2", BY_TOKEN),
  "all/voyage": model("voyage", "rerank-2-lite", BY_TOKEN),
  "all/together": model("together", "Salesforce/Llama-Rank-V1", BY_TOKEN),
  "all/own": model("sim", "rerank", BY_TOKEN),
  "all/logits": model("sim", "rerank-logits", BY_TOKEN),
  "all/embed": model("sim", "embed", BY_TOKEN, "embedding"),
  "all/cohere-embed": model("cohere", "embed-v4.0", BY_TOKEN, "embedding"),
  "all/gemini": model("google", "gemini-embedding-001", BY_TOKEN, "embedding"),
  "all/borrowed": model("openai", "text-embedding-3-small", BY_SEARCH),
  "cohere/by-token": model("cohere", "rerank-v3.5", BY_TOKEN),
  "jina/by-search": model("jina", "jina-reranker-v2", BY_SEARCH),
  "sim/fault-no-usage": model("sim", "fault-no-usage", BY_TOKEN),
  "sim/rejects-base64": model("sim", "rejects-base64", BY_TOKEN, "embedding"),
  "sim/fault-500": model("sim", "fault-500", BY_TOKEN),
  "sim/unpriced": model("sim", "rerank", undefined),
}

function providersAt(url: string): Record<string, ProviderSettings> {
  return {
    cohere: provider(url, "cohere"),
    google: provider(url, "google"),
    jina: provider(`${url}/v1`, "jina"),
    voyage: provider(`${url}/v1`, "voyage"),
    together: provider(`${url}/v1`, "together"),
    openai: provider(`${url}/v1`, "openai"),
  }
}

beforeAll(async () => {
  gateway = await startGateway({ models: MODELS, providersAt })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

interface Result {
  readonly index: number
  readonly relevance_score: number
  readonly document?: unknown
}

async function rerank(
  caller: TestCaller,
  body: object,
  path = PATH,
): Promise<{ response: Response; results: readonly Result[]; receipt: Receipt; json: object }> {
  const request = { query: QUERY, documents: DOCUMENTS, ...body }
  const response = await caller.post(path, request)
  expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""])
  const json = (await response.json()) as { results: readonly Result[] }
  return { response, json, results: json.results, receipt: await receiptOf(caller, response) }
}

describe("reranking by every model", () => {
  const losses: Record<string, string> = {
    "all/logits": "relevance_score:approximated",
    "all/embed": "rerank:emulated",
    "all/cohere-embed": "rerank:emulated",
    "all/gemini": "rerank:emulated",
    "all/borrowed": "rerank:emulated",
  }

  for (const id of Object.keys(MODELS).filter((name) => name.startsWith("all/"))) {
    test(`returns the best document first, scores from 0 to 1, and documents as they were sent: ${id}`, async () => {
      const caller = await gateway.caller("1")
      const { json, results, response, receipt } = await rerank(caller, { model: id })
      expect(Object.keys(json)).toEqual(["id", "results", "meta"])
      expect(results.map(({ index }) => index)).toEqual([1, 2, 0])
      expect(results.map(({ document }) => document)).toEqual(
        [1, 2, 0].map((index) => DOCUMENTS[index]),
      )
      const scores = results.map(({ relevance_score: score }) => score)
      expect(scores).toEqual(scores.toSorted((left, right) => right - left))
      for (const score of scores) expect(score >= 0 && score <= 1).toBe(true)
      expect(response.headers.get("x-tollgate-losses")).toBe(losses[id] ?? null)
      expect(receipt.status).toBe("settled")
      expect(nanocredits(receipt.cost)).toBeGreaterThan(0n)
      expect(nanocredits(receipt.hold)).toBeGreaterThanOrEqual(nanocredits(receipt.cost))
      await nothingHeld(caller)
    })

    test(`returns at most top_n results: ${id}`, async () => {
      const caller = await gateway.caller("1")
      const { results } = await rerank(caller, { model: id, top_n: 1, return_documents: false })
      expect(results).toEqual([{ index: 1, relevance_score: results[0]?.relevance_score ?? 0 }])
      expect((await rerank(caller, { model: id, top_n: 99 })).results.length).toBe(3)
    })
  }
})

describe("reranking for the clients of vendors", () => {
  test("returns documents as objects if they were sent as objects", async () => {
    const caller = await gateway.caller("1")
    const documents = DOCUMENTS.map((text, id) => ({ text, id }))
    const { results } = await rerank(caller, { model: "all/cohere", documents })
    expect(results[0]?.document).toEqual({ text: DOCUMENTS[1], id: 1 })
  })

  test("compares only the selected fields of a document", async () => {
    const caller = await gateway.caller("1")
    const documents = DOCUMENTS.map((title) => ({ title, text: "capital of France" }))
    const body = { model: "all/jina", documents, rank_fields: ["title"] }
    expect((await rerank(caller, body)).results[0]?.index).toBe(1)
  })

  for (const path of [PATH, "/v2/rerank"]) {
    test(`returns Cohere's metadata with the results: ${path}`, async () => {
      const caller = await gateway.caller("1")
      const version = path === PATH ? "1" : "2"
      const { json, response } = await rerank(caller, { model: "all/cohere" }, path)
      expect(json).toMatchObject({
        id: response.headers.get("x-request-id"),
        results: [{ index: 1 }, { index: 2 }, { index: 0 }],
        meta: { api_version: { version }, billed_units: { search_units: 1 } },
      })
      const byToken = await rerank(caller, { model: "all/jina" }, path)
      const { input } = byToken.receipt.usage ?? {}
      expect(byToken.json).toMatchObject({ meta: { billed_units: { input_tokens: input } } })
    })
  }

  test("returns documents as objects with a text at /v2/rerank or on request", async () => {
    const caller = await gateway.caller("1")
    const wanted = [1, 2, 0].map((index) => ({ text: DOCUMENTS[index] }))
    const asked = { model: "all/cohere", return_documents: true }
    for (const { results } of [
      await rerank(caller, { model: "all/cohere" }, "/v2/rerank"),
      await rerank(caller, asked, "/v2/rerank"),
      await rerank(caller, asked),
    ]) {
      expect(results.map(({ document }) => document)).toEqual(wanted)
    }
    const without = { model: "all/cohere", return_documents: false }
    const { results } = await rerank(caller, without, "/v2/rerank")
    expect(results.map(({ document }) => document)).toEqual([undefined, undefined, undefined])
  })

  test("accepts an empty document, even if the gateway computes scores from embeddings", async () => {
    const caller = await gateway.caller("1")
    const documents = ["", ...DOCUMENTS]
    const { results } = await rerank(caller, { model: "all/embed", documents })
    expect(results[0]?.index).toBe(2)
    expect(results.find(({ index }) => index === 0)?.document).toBe("")
  })
})

describe("charges for reranking", () => {
  test("include one search for a query with up to one hundred documents", async () => {
    const caller = await gateway.caller("1")
    const one = await rerank(caller, { model: "all/cohere" })
    expect(one.receipt).toMatchObject({ estimated: false, usage: { search: 1 }, cost: "0.002" })
    const documents = Array.from({ length: 101 }, (_, index) => `document ${index}`)
    const two = await rerank(caller, { model: "all/cohere", documents })
    expect(two.receipt).toMatchObject({ usage: { search: 2 }, cost: "0.004", hold: "0.004" })
  })

  test("require a hold for several searches if the documents are long", async () => {
    const caller = await gateway.caller("1")
    const documents = Array.from({ length: 60 }, () => "word ".repeat(150))
    const { receipt } = await rerank(caller, { model: "all/cohere", documents })
    expect(receipt).toMatchObject({ usage: { search: 1 }, hold: "0.004" })
  })

  test("follow the vendor's token count", async () => {
    const caller = await gateway.caller("1")
    for (const id of ["all/jina", "all/voyage", "all/together"]) {
      const { receipt } = await rerank(caller, { model: id })
      const input = receipt.usage?.["input"] ?? 0
      expect([receipt.estimated, input > 0]).toEqual([false, true])
      expect(nanocredits(receipt.cost)).toBe(BigInt(input) * 1_000n)
    }
  })

  test("follow the gateway's own count if the vendor counts in another unit", async () => {
    const caller = await gateway.caller("1")
    const byToken = await rerank(caller, { model: "cohere/by-token" })
    // The input consists of the query's three tokens, once for each document, and the tokens of the documents.
    expect(byToken.receipt).toMatchObject({ estimated: true, usage: { input: 9 + 13, search: 1 } })
    const bySearch = await rerank(caller, { model: "jina/by-search" })
    expect(bySearch.receipt).toMatchObject({ estimated: true, usage: { search: 1 }, cost: "0.002" })
    const borrowed = await rerank(caller, { model: "all/borrowed" })
    expect(borrowed.receipt).toMatchObject({ estimated: true, usage: { search: 1 } })
  })

  test("use an estimate if usage is missing, and the operator is notified", async () => {
    const caller = await gateway.caller("1")
    const { receipt } = await rerank(caller, { model: "sim/fault-no-usage" })
    expect(receipt).toMatchObject({ estimated: true, usage: { input: 22 } })
    expect(gateway.heard.at(-1)?.name).toBe("usageMissing")
  })

  test("equal the charges for embeddings if the gateway computes scores from embeddings", async () => {
    const caller = await gateway.caller("1")
    const { receipt } = await rerank(caller, { model: "all/embed" })
    expect(receipt).toMatchObject({ estimated: false, deployment: "sim/embed" })
    expect(receipt.attempts.length).toBe(2)
    const silent = await rerank(caller, { model: "all/gemini" })
    expect(silent.receipt).toMatchObject({ estimated: true, usage: { input: 3 + 13 } })
  })

  test("include each call to a server that rejects base64", async () => {
    const caller = await gateway.caller("1")
    const expected = await rerank(caller, { model: "all/embed" })
    const { results, receipt } = await rerank(caller, { model: "sim/rejects-base64" })
    expect(results).toEqual(expected.results as Result[])
    expect(receipt.usage).toEqual(expected.receipt.usage)
    const outcomes = receipt.attempts.map(({ outcome }) => outcome)
    expect(outcomes.slice(-2)).toEqual(["ok", "ok"])
    expect(outcomes.slice(0, -2)).toContain("rejected_by_upstream")
    await nothingHeld(caller)
  })

  test("exclude failed upstream calls", async () => {
    const caller = await gateway.caller("1")
    const body = { model: "sim/fault-500", query: QUERY, documents: DOCUMENTS }
    expect((await errorOf(await caller.post(PATH, body))).status).toBe(502)
    await nothingHeld(caller)
    expect(await caller.balance()).toBe(nanocredits("1"))
  })
})

describe("an invalid rerank request", () => {
  const whole = { model: "all/jina", query: QUERY, documents: DOCUMENTS }
  const cases: [string, object, number, string][] = [
    ["no query", { query: null }, 400, "missing_required_parameter"],
    ["an empty query", { query: "" }, 400, "invalid_value"],
    ["no documents", { documents: null }, 400, "missing_required_parameter"],
    ["an empty list", { documents: [] }, 400, "invalid_value"],
    ["a number for a document", { documents: [5] }, 400, "invalid_type"],
    ["an object without text", { documents: [{}] }, 400, "missing_required_parameter"],
    ["top_n of 0", { top_n: 0 }, 400, "below_min_value"],
    ["a fraction as top_n", { top_n: 0.5 }, 400, "invalid_type"],
    ["no model", { model: null }, 400, "missing_required_parameter"],
    ["an unknown model", { model: "all/jin" }, 404, "model_not_found"],
    ["a model for chat", { model: "sim/echo" }, 400, "model_not_supported"],
    ["a model without a price", { model: "sim/unpriced" }, 402, "model_not_priced"],
  ]
  for (const [name, change, status, kind] of cases) {
    test(`returns ${status} ${kind} for ${name}, without a call, a hold or a charge`, async () => {
      const caller = await gateway.caller("1")
      const before = gateway.simulator.requests.length
      const response = await caller.post(PATH, { ...whole, ...change })
      expect(await errorOf(response)).toMatchObject({ status, error_type: kind })
      await nothingHeld(caller)
      expect(gateway.simulator.requests.length).toBe(before)
      expect(await caller.balance()).toBe(nanocredits("1"))
      for (const receipt of receiptsOf(gateway, caller)) expect(receipt.status).toBe("released")
    })
  }

  test("fails for a strict caller before the call if the gateway would have to compute the scores", async () => {
    const caller = await gateway.caller("1")
    const calls = gateway.simulator.requests.length
    const strict = { "x-tollgate-strict": "true" }
    for (const body of [{ model: "all/embed" }, { model: "all/cohere", unknown_field: 1 }]) {
      const response = await caller.post(PATH, { ...whole, ...body }, strict)
      expect(await errorOf(response)).toMatchObject({ status: 400, error_type: "not_carried" })
      await nothingHeld(caller)
    }
    expect(gateway.simulator.requests.length).toBe(calls)
    expect(await caller.balance()).toBe(nanocredits("1"))
  })

  test("reports a loss even to a strict caller if the loss is known only from the response", async () => {
    const caller = await gateway.caller("1")
    const strict = { "x-tollgate-strict": "true" }
    const response = await caller.post(PATH, { ...whole, model: "all/logits" }, strict)
    expect(response.status).toBe(200)
    expect(response.headers.get("x-tollgate-losses")).toBe("relevance_score:approximated")
  })

  test("fails before the call if the account has no credits", async () => {
    const caller = await gateway.caller("0.00001")
    const before = gateway.simulator.requests.length
    expect((await errorOf(await caller.post(PATH, whole))).status).toBe(402)
    expect(gateway.simulator.requests.length).toBe(before)
  })
})
