import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import { base64Of } from "../../../src/canon/vectors.ts"
import { responseOf, asked, decoded, embeddingOf, requestOf } from "./support.ts"

const MANY = Array.from({ length: 2_100 }, (_, index) => `text ${index}`)

describe("the embedding request encoder", () => {
  test("encodes OpenAI's format", () => {
    expect(asked("openai", { dimensions: 8, user: "u", encoding_format: "base64" })).toEqual({
      path: "/embeddings",
      bodies: [
        { model: "m", input: ["hello"], dimensions: 8, user: "u", encoding_format: "base64" },
      ],
      losses: [],
    })
    expect(asked("openai", { input: [1, 2], custom: true }).bodies).toEqual([
      { model: "m", input: [[1, 2]], custom: true },
    ])
  })

  test("encodes OpenAI's format for Azure and OpenRouter", () => {
    for (const vendor of ["azure", "openrouter"]) {
      expect(asked(vendor, { encoding_format: "base64" }).bodies).toEqual([
        { model: "m", input: ["hello"], encoding_format: "base64" },
      ])
      expect(embeddingOf(vendor).takesTokens).toBe(true)
    }
  })

  test("adds no fields to requests to compatible servers", () => {
    expect(asked("together", { encoding_format: "base64" }).bodies).toEqual([
      { model: "m", input: ["hello"], encoding_format: "base64" },
    ])
    for (const body of [{}, { encoding_format: "float" }]) {
      expect(asked("together", body).bodies).toEqual([{ model: "m", input: ["hello"] }])
    }
    expect(embeddingOf("together").takesTokens).toBe(false)
    expect(embeddingOf("vllm").takesTokens).toBe(true)
  })

  test("never requests base64 from Alibaba", () => {
    expect(asked("alibaba", { encoding_format: "base64" }).bodies).toEqual([
      { model: "m", input: ["hello"] },
    ])
  })

  test("encodes Mistral's format", () => {
    expect(asked("mistral", { dimensions: 8, user: "u" })).toEqual({
      path: "/embeddings",
      bodies: [{ model: "m", input: ["hello"], output_dimension: 8 }],
      losses: ["user:dropped"],
    })
  })

  test("encodes Perplexity's format and uses its endpoint path", () => {
    const body = { dimensions: 256, user: "u", encoding_format: "base64" }
    expect(asked("perplexity", body)).toEqual({
      path: "/v1/embeddings",
      bodies: [{ model: "m", input: ["hello"], dimensions: 256, encoding_format: "base64_int8" }],
      losses: ["user:dropped"],
    })
    expect(embeddingOf("perplexity").takesTokens).toBe(false)
  })

  test("encodes Voyage's format", () => {
    const body = { dimensions: 8, input_type: "search_query", truncation: false }
    expect(asked("voyage", body).bodies).toEqual([
      { model: "m", input: ["hello"], output_dimension: 8, input_type: "query", truncation: false },
    ])
    expect(asked("voyage", { input_type: "clustering" })).toMatchObject({
      bodies: [{ model: "m", input: ["hello"] }],
      losses: ["input_type:dropped"],
    })
  })

  test("encodes Jina's format", () => {
    expect(asked("jina", { input_type: "document", encoding_format: "base64" }).bodies).toEqual([
      { model: "m", input: ["hello"], task: "retrieval.passage" },
    ])
    expect(asked("jina", { task: "text-matching" }).bodies).toEqual([
      { model: "m", input: ["hello"], task: "text-matching" },
    ])
  })

  test("encodes Cohere's format", () => {
    const body = { dimensions: 256, user: "u", truncate: "END", other: 1 }
    expect(asked("cohere", body, "embed-v4.0")).toEqual({
      path: "/v2/embed",
      bodies: [
        {
          model: "embed-v4.0",
          texts: ["hello"],
          input_type: "search_document",
          embedding_types: ["float"],
          output_dimension: 256,
          truncate: "END",
        },
      ],
      losses: ["user:dropped", "other:dropped"],
    })
    expect(asked("cohere", { input_type: "image" }).bodies[0]?.["input_type"]).toBe("image")
    expect(asked("cohere", { input_type: "similarity" }).losses).toEqual([
      "input_type:approximated",
    ])
  })

  test("omits dimensions for Cohere's older models", () => {
    for (const model of ["embed-english-v3.0", "embed-multilingual-light-v3.0"]) {
      const { bodies, losses } = asked("cohere", { dimensions: 256 }, model)
      expect(losses).toEqual(["dimensions:dropped"])
      expect(bodies[0]).not.toHaveProperty("output_dimension")
    }
  })

  test("encodes the Gemini API's format", () => {
    const body = { input: ["a", "b"], dimensions: 8, input_type: "query", user: "u" }
    expect(asked("google", body, "gemini-embedding-001")).toEqual({
      path: "/v1beta/models/gemini-embedding-001:batchEmbedContents",
      bodies: [
        {
          requests: ["a", "b"].map((text) => ({
            model: "models/gemini-embedding-001",
            content: { parts: [{ text }] },
            taskType: "RETRIEVAL_QUERY",
            outputDimensionality: 8,
          })),
        },
      ],
      losses: ["user:dropped"],
    })
  })

  test("encodes Vertex AI's format, with one text at a time for Gemini models", () => {
    const body = { input: ["a", "b"], dimensions: 8, task_type: "FACT_VERIFICATION" }
    expect(asked("vertex", body, "text-embedding-005")).toEqual({
      path: "/models/text-embedding-005:predict",
      bodies: [
        {
          instances: ["a", "b"].map((content) => ({ task_type: "FACT_VERIFICATION", content })),
          parameters: { outputDimensionality: 8 },
        },
      ],
      losses: [],
    })
    expect(asked("vertex", { input: ["a", "b"] }, "gemini-embedding-001").bodies).toEqual([
      { instances: [{ content: "a" }] },
      { instances: [{ content: "b" }] },
    ])
  })

  test("sends one text per request to Titan on Bedrock", () => {
    const body = { input: ["a", "b"], dimensions: 512, normalize: false, user: "u" }
    expect(asked("bedrock", body, "amazon.titan-embed-text-v2:0")).toEqual({
      path: "/model/amazon.titan-embed-text-v2%3A0/invoke",
      bodies: ["a", "b"].map((inputText) => ({ inputText, dimensions: 512, normalize: false })),
      losses: ["user:dropped"],
    })
    expect(asked("bedrock", { dimensions: 512 }, "amazon.titan-embed-text-v1")).toMatchObject({
      bodies: [{ inputText: "hello" }],
      losses: ["dimensions:dropped"],
    })
  })

  test("encodes Cohere's format on Bedrock", () => {
    expect(asked("bedrock", { dimensions: 512 }, "us.cohere.embed-v4:0").bodies).toEqual([
      {
        texts: ["hello"],
        input_type: "search_document",
        embedding_types: ["float"],
        output_dimension: 512,
      },
    ])
    expect(asked("bedrock", { dimensions: 8 }, "cohere.embed-english-v3").losses).toEqual([
      "dimensions:dropped",
    ])
  })

  test("rejects Bedrock models that do not support embeddings", () => {
    expect(() => asked("bedrock", {}, "amazon.nova-lite-v1:0")).toThrow(
      "does not support embeddings",
    )
  })
})

test("the embedding encoder splits inputs above a vendor's limit", () => {
  const sizes = (vendor: string, model = "m", more = {}) =>
    asked(vendor, { input: MANY, ...more }, model).bodies.map((body) => {
      const list = body["input"] ?? body["texts"] ?? body["requests"] ?? body["instances"]
      return Array.isArray(list) ? list.length : 1
    })
  expect(sizes("openai", "m", { encoding_format: "base64" })).toEqual([2048, 52])
  // The response of 2,048 long vectors would not fit as numbers.
  expect(sizes("openai")).toEqual([1024, 1024, 52])
  expect(sizes("openai", "m", { dimensions: 2048 })).toEqual([2048, 52])
  expect(sizes("openai", "m", { dimensions: 3072 })).toEqual([1365, 735])
  expect(sizes("openai", "m", { dimensions: 8_000_000 })).toHaveLength(2_100)
  expect(sizes("jina", "m", { encoding_format: "base64" })).toEqual([1024, 1024, 52])
  expect(sizes("mistral")).toEqual([...Array<number>(8).fill(256), 52])
  expect(sizes("perplexity").slice(-2)).toEqual([512, 52])
  expect(sizes("voyage").slice(-2)).toEqual([128, 52])
  expect(sizes("cohere").slice(-2)).toEqual([96, 84])
  expect(sizes("google")).toEqual(Array<number>(21).fill(100))
  expect(sizes("vertex").slice(-2)).toEqual([250, 100])
  expect(sizes("bedrock", "amazon.titan-embed-text-v2:0").length).toBe(2_100)
})

describe("the embedding response decoder", () => {
  const item = (index: number, embedding: unknown) => ({ object: "embedding", index, embedding })
  const list = (data: unknown[], tokens: number) => ({
    object: "list",
    data,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  })

  test("merges responses in the order of the inputs and adds up their usage", async () => {
    const first = list([item(1, [0, 1]), item(0, [1, 0])], 5)
    const second = list([item(0, base64Of([0.5, 0.5]))], 7)
    const result = await decoded("openai", [responseOf(first), responseOf(second)], {
      input: ["a", "b", "c"],
    })
    expect(result).toEqual({ vectors: [[1, 0], [0, 1], base64Of([0.5, 0.5])], tokens: 12 })
  })

  test("returns undefined tokens without usage, or 0 if the vendor normally reports tokens", async () => {
    const values = { embeddings: [{ values: [1, 0] }] }
    expect(await decoded("google", [responseOf(values)])).toEqual({ vectors: [[1, 0]] })
    const silent = { data: [item(0, [1, 0])] }
    expect(await decoded("openai", [responseOf(silent)])).toEqual({ vectors: [[1, 0]], tokens: 0 })
  })

  test("normalizes Google's vectors with reduced dimensions to a length of one", async () => {
    const responses = [responseOf({ embeddings: [{ values: [0.3, 0.4] }] })]
    const { vectors } = await decoded("google", responses, { dimensions: 2 })
    expect(vectors).toEqual([[0.6, 0.8]])
    expect((await decoded("google", responses)).vectors).toEqual([[0.3, 0.4]])
    const own = { ...requestOf({ dimensions: 2 }), isGoogles: true }
    expect((await embeddingOf("google").decode(responses, own)).vectors).toEqual([[0.3, 0.4]])
  })

  test("reads Perplexity's vectors as signed bytes, and normalizes them to a length of one", async () => {
    const bytes = Buffer.from(Int8Array.of(3, -4, 0).buffer).toString("base64")
    const { vectors, tokens } = await decoded("perplexity", [responseOf(list([item(0, bytes)], 2))])
    expect(vectors).toEqual([[0.6, -0.8, 0].map(Math.fround)])
    expect(tokens).toBe(2)
    for (const odd of ["", [3, -4], null]) {
      const failure = await decoded("perplexity", [responseOf(list([item(0, odd)], 2))]).catch(
        (error: unknown) => error,
      )
      expect((failure as GatewayError).kind).toBe("upstream_error")
    }
  })

  test("reads the token count of Bedrock's responses from a header", async () => {
    const titan = responseOf(
      { embedding: [1, 0], inputTextTokenCount: 3 },
      { "x-amzn-bedrock-input-token-count": "4" },
    )
    const bare = responseOf({ embedding: [0, 1], inputTextTokenCount: 3 })
    const result = await decoded("bedrock", [titan, bare], { input: ["a", "b"] })
    expect(result).toEqual({
      vectors: [
        [1, 0],
        [0, 1],
      ],
      tokens: 7,
    })
    for (const inputTextTokenCount of [null, -3, "three", { toString: 1, valueOf: 1 }]) {
      const odd = responseOf({ embedding: [0, 1], inputTextTokenCount })
      expect((await decoded("bedrock", [odd], { input: ["a"] })).tokens).toBe(0)
    }
    const older = responseOf({ embeddings: [[1, 0]], response_type: "embeddings_floats" })
    expect((await decoded("bedrock", [older])).vectors).toEqual([[1, 0]])
  })

  const broken: [string, unknown][] = [
    ["invalid JSON", "<html>"],
    ["a body other than an object", "[]"],
    ["a duplicate index", list([item(0, [1]), item(0, [1])], 1)],
    ["an index out of range", list([item(7, [1])], 1)],
    ["text in place of numbers", list([item(0, ["one"])], 1)],
    ["an invalid embedding", list([null], 1)],
  ]
  for (const [name, json] of broken) {
    test(`treats a response with ${name} as an upstream failure`, async () => {
      const failure = await decoded("openai", [responseOf(json)]).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(GatewayError)
      expect((failure as GatewayError).kind).toBe("upstream_error")
    })
  }
})
