import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import { type JsonObject, listAt } from "../../../src/canon/json.ts"
import type { OperationResponse } from "../../../src/canon/operation.ts"
import type { RerankFormat } from "../../../src/canon/rerank.ts"
import { decodeRerankRequest } from "../../../src/dialects/rerank/request.ts"
import { type DocumentForm, encodeRerankResult } from "../../../src/dialects/rerank/result.ts"
import { vendors } from "../../../src/vendors/index.ts"
import { recordedAt, type RecordedOperation } from "../../support/recorded-operations.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../../support/recordings.ts"

const REQUEST = { model: "a/b", query: "ruby", documents: ["Ruby", "Paris", "Rails"] }

function rerankOf(vendor: string): RerankFormat {
  const format = vendors.get(vendor)?.operations?.rerank
  if (!format) throw new Error(`${vendor} does not rerank`)
  return format
}

function orderOf(body: JsonObject = {}) {
  return decodeRerankRequest({ ...REQUEST, ...body })
}

function asked(vendor: string, body: JsonObject = {}) {
  const { calls, losses } = rerankOf(vendor).encode(orderOf(body).request, "m")
  const [call] = calls
  if (call?.body.type !== "json") throw new Error("no JSON is sent")
  return {
    path: call.path,
    body: call.body.json,
    losses: losses.map(({ name, effect }) => `${name}:${effect}`),
  }
}

function responseOf(json: unknown): OperationResponse {
  return { headers: new Headers(), bytes: new TextEncoder().encode(JSON.stringify(json)) }
}

async function decoded(vendor: string, json: unknown, body: JsonObject = {}) {
  return await rerankOf(vendor).decode([responseOf(json)], orderOf(body).request)
}

function verdict(body: JsonObject): string {
  try {
    decodeRerankRequest(body)
    return "taken"
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return `${error.kind} ${error.details.parameter}`
  }
}

describe("rerank answers with status 200", () => {
  test.each(["cohere", "jina", "voyage", "together", "openrouter"])(
    "count as failures of %s if they contain an error and no results",
    async (vendor) => {
      const response = decoded(vendor, { error: { message: "The model is being loaded." } })
      await expect(response).rejects.toThrow("it is an error")
    },
  )
})

describe("the rerank request decoder", () => {
  test("reads documents as texts, and returns all of them by default", () => {
    expect(orderOf()).toEqual({
      request: { ...REQUEST, topN: 3 },
      supplied: REQUEST.documents,
      returnDocuments: undefined,
    })
    expect(orderOf({ top_n: 2 }).request.topN).toBe(2)
    expect(orderOf({ top_n: 50, return_documents: null }).request.topN).toBe(3)
  })

  test("reads documents as objects with selected fields", () => {
    const documents = [{ text: "body", title: "Head", id: 7 }, "plain"]
    expect(orderOf({ documents }).request.documents).toEqual(["body", "plain"])
    const ranked = orderOf({ documents, rank_fields: ["title", "text"] })
    expect(ranked.request.documents).toEqual(["title: Head\ntext: body", "plain"])
    expect(ranked.supplied).toEqual(documents)
    expect(orderOf({ documents, rank_fields: ["title"] }).request.documents[0]).toBe("Head")
    expect(orderOf({ documents, rank_fields: [] }).request.documents[0]).toBe("body")
  })

  test("keeps unknown fields as extras", () => {
    const { request } = orderOf({ max_tokens_per_doc: 100, priority: 1 })
    expect(request).toMatchObject({ maxTokensPerDocument: 100, extra: { priority: 1 } })
  })

  const rejected: [JsonObject, string][] = [
    [{ model: null }, "missing_required_parameter model"],
    [{ model: 5 }, "invalid_type model"],
    [{ query: null }, "missing_required_parameter query"],
    [{ query: "" }, "invalid_value query"],
    [{ query: ["ruby"] }, "invalid_type query"],
    [{ documents: null }, "missing_required_parameter documents"],
    [{ documents: [] }, "invalid_value documents"],
    [{ documents: "Ruby" }, "invalid_type documents"],
    [{ documents: ["Ruby", 5] }, "invalid_type documents[1]"],
    [{ documents: [null] }, "invalid_type documents[0]"],
    [{ documents: ["Ruby", { title: "x" }] }, "missing_required_parameter documents[1].text"],
    [{ documents: [{ text: 5 }] }, "invalid_type documents[0].text"],
    [{ top_n: 0 }, "below_min_value top_n"],
    [{ top_n: -1 }, "below_min_value top_n"],
    [{ top_n: 1.5 }, "invalid_type top_n"],
    [{ top_n: "2" }, "invalid_type top_n"],
    [{ max_tokens_per_doc: 0 }, "below_min_value max_tokens_per_doc"],
    [{ return_documents: "no" }, "invalid_type return_documents"],
    [{ rank_fields: "text" }, "invalid_type rank_fields"],
  ]
  for (const [body, expected] of rejected) {
    test(`rejects the request ${JSON.stringify(body)}`, () => {
      expect(verdict({ ...REQUEST, ...body })).toBe(expected)
    })
  }
})

describe("the rerank response encoder", () => {
  const ranking = [
    { index: 1, score: 0.5 },
    { index: 0, score: 0.25 },
  ]
  const documents = ["Ruby", { text: "Paris", id: 7 }]
  const scores = ranking.map(({ index, score }) => ({ index, relevance_score: score }))

  function documentsIn(body: JsonObject, form: DocumentForm = "supplied") {
    const { results } = encodeRerankResult(orderOf({ documents, ...body }), ranking, form)
    return results.map(({ document }) => document)
  }

  test("returns documents as the caller supplied them, or no documents on request", () => {
    expect(documentsIn({})).toEqual([{ text: "Paris", id: 7 }, "Ruby"])
    expect(documentsIn({ return_documents: null })).toEqual([{ text: "Paris", id: 7 }, "Ruby"])
    for (const form of ["supplied", "objects"] as const) {
      const none = orderOf({ documents, return_documents: false })
      expect(encodeRerankResult(none, ranking, form)).toEqual({ results: scores })
    }
  })

  test("returns documents in Cohere's form on request", () => {
    const objects = [{ text: "Paris", id: 7 }, { text: "Ruby" }]
    expect(documentsIn({ return_documents: true })).toEqual(objects)
    expect(documentsIn({}, "objects")).toEqual(objects)
  })
})

describe("the rerank request encoder", () => {
  const common = { model: "m", query: "ruby", documents: REQUEST.documents }

  test("encodes Cohere's format", () => {
    const body = { top_n: 2, max_tokens_per_doc: 9, priority: 1, other: true }
    expect(asked("cohere", body)).toEqual({
      path: "/v2/rerank",
      body: { ...common, top_n: 2, max_tokens_per_doc: 9, priority: 1 },
      losses: ["other:dropped"],
    })
  })

  test("encodes Voyage's format", () => {
    expect(asked("voyage", { top_n: 2, truncation: true })).toEqual({
      path: "/rerank",
      body: { ...common, top_k: 2, return_documents: false, truncation: true },
      losses: [],
    })
  })

  test("encodes the format of Jina, Together, OpenRouter and compatible servers", () => {
    for (const vendor of ["jina", "together", "openrouter", "vllm", "llama-cpp"]) {
      expect(asked(vendor, { max_tokens_per_doc: 9 })).toEqual({
        path: "/rerank",
        body: { ...common, top_n: 3, return_documents: false },
        losses: ["max_tokens_per_doc:dropped"],
      })
    }
  })
})

describe("the rerank response decoder", () => {
  test("sorts results and returns at most the requested number", async () => {
    const results = [
      { index: 1, relevance_score: 0.1 },
      { index: 0, relevance_score: 0.7, document: { text: "Ruby" } },
      { index: 2, relevance_score: 0.7 },
    ]
    expect(await decoded("jina", { results, usage: { total_tokens: 9 } }, { top_n: 2 })).toEqual({
      ranking: [
        { index: 0, score: 0.7 },
        { index: 2, score: 0.7 },
      ],
      isSquashed: false,
      tokens: 9,
    })
  })

  test("maps unlimited scores to a range from 0 to 1, and keeps their order", async () => {
    const results = [-4, 2, 0].map((score, index) => ({ index, relevance_score: score }))
    const { ranking, isSquashed } = await decoded("vllm", { results })
    expect(isSquashed).toBe(true)
    expect(ranking.map(({ index }) => index)).toEqual([1, 2, 0])
    expect(ranking.map(({ score }) => score.toFixed(3))).toEqual(["0.881", "0.500", "0.018"])
  })

  const broken: [string, unknown[]][] = [
    ["an unknown document", [{ index: 3, relevance_score: 0.5 }]],
    ["a duplicate document", [0, 0].map((index) => ({ index, relevance_score: 0.5 }))],
    ["no index", [{ relevance_score: 0.5 }]],
    ["no score", [{ index: 0 }]],
    ["words", ["best"]],
  ]
  for (const [name, results] of broken) {
    test(`treats a response with ${name} as an upstream failure`, async () => {
      const asked = { top_n: results.length }
      const failure = await decoded("jina", { results }, asked).catch((error: unknown) => error)
      expect((failure as GatewayError).kind).toBe("upstream_error")
    })
  }

  test.each([0, 1])(
    "treats %d results in place of the requested two as an upstream failure",
    async (count) => {
      const results = Array.from({ length: count }, (_, index) => ({ index, relevance_score: 0.5 }))
      const response = decoded("cohere", { results }, { top_n: 2 })
      await expect(response).rejects.toThrow(`it has ${count} results instead of 2`)
    },
  )
})

const RECORDINGS = recordedAt(/(cohere|voyage).*\/rerank$/)

function vendorOf({ url }: RecordedOperation): string {
  return url.includes("voyage") ? "voyage" : "cohere"
}

test.skipIf(!HAS_FIXTURES)(`rerank recordings of two vendors exist${WITHOUT_FIXTURES}`, () => {
  expect(new Set(RECORDINGS.map(vendorOf))).toEqual(new Set(["cohere", "voyage"]))
})

describe.skipIf(!HAS_FIXTURES)(`recorded rerank responses${WITHOUT_FIXTURES}`, () => {
  for (const recording of RECORDINGS) {
    test(`keep the ranking and the usage: ${recording.id}`, async () => {
      const vendor = vendorOf(recording)
      const { top_k: top, ...rest } = recording.request
      const body = top === undefined ? rest : { ...rest, top_n: top }
      const { ranking, isSquashed, tokens, searches } = await decoded(vendor, recording.body, body)
      const told = recording.body as JsonObject
      const results = vendor === "voyage" ? listAt(told, "data") : listAt(told, "results")
      expect(ranking.map(({ index, score }) => ({ index, relevance_score: score }))).toEqual(
        results as never[],
      )
      expect(isSquashed).toBe(false)
      if (vendor === "voyage") expect(told["usage"]).toEqual({ total_tokens: tokens })
      else expect(searches).toBe(1)
    })
  }
})
