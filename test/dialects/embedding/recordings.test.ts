import { describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject, listAt, objectAt } from "../../../src/canon/json.ts"
import { numbersOf } from "../../../src/canon/vectors.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { recordedAt, type RecordedOperation } from "../../support/recorded-operations.ts"
import { responseOf, asked, decoded, embeddingOf } from "./support.ts"

const EMBEDDINGS =
  /\/embeddings$|\/v2\/embed$|:batchEmbedContents$|embedding-\d+:predict$|\.embed-[^/]*\/invoke$/

/** Vendors by the host of the address. */
const HOSTS: readonly (readonly [RegExp, string])[] = [
  [/api\.openai\.com/, "openai"],
  [/openrouter\.ai/, "openrouter"],
  [/api\.voyageai\.com/, "voyage"],
  [/api\.cohere\.com/, "cohere"],
  [/generativelanguage/, "google"],
  [/aiplatform/, "vertex"],
  [/bedrock-runtime/, "bedrock"],
]

function vendorOf({ url }: RecordedOperation): string {
  return HOSTS.find(([host]) => host.test(url))?.[1] ?? "openai-compatible"
}

const RECORDINGS = recordedAt(EMBEDDINGS)
const ANSWERED = RECORDINGS.filter(
  // One recording embeds an image. The gateway's requests cannot contain images.
  ({ status, request }) => status === 200 && !JSON.stringify(request).includes("inline_data"),
)

/** Returns the texts of a request in any vendor's form. */
function textsOf(request: JsonObject): string[] {
  const { input, texts } = request
  if (typeof input === "string") return [input]
  const plain = Array.isArray(input) ? input : texts
  if (Array.isArray(plain)) return plain.map(String)
  const instances = listAt(request, "instances").map((one) => (one as JsonObject)["content"])
  if (instances.length > 0) return instances.map(String)
  return listAt(request, "requests").map((one) => {
    const content = isJsonObject(one) ? objectAt(one, "content") : undefined
    const [part] = content === undefined ? [] : listAt(content, "parts")
    return String((part as JsonObject)["text"])
  })
}

/** Returns the vendor's token count, wherever it is in the response. */
function countedBy({ body, response }: RecordedOperation): number | undefined {
  const text = JSON.stringify(body)
  const header = response.headers.get("x-amzn-bedrock-input-token-count")
  if (header !== null) return Number(header)
  const each = [...text.matchAll(/"token_count":(\d+)/g)].map(([, count]) => Number(count))
  if (each.length > 0) return each.reduce((sum, count) => sum + count, 0)
  const names = /"(?:prompt_tokens|promptTokenCount|input_tokens|total_tokens)":(\d+)/
  const told = names.exec(text)?.[1]
  return told === undefined ? undefined : Number(told)
}

/**
 * Returns the response with complete values. Strings may have been cut when they were recorded, so base64 is cut to
 * whole floats.
 */
function whole(recording: RecordedOperation): RecordedOperation["response"] {
  const text = new TextDecoder().decode(recording.response.bytes)
  const repaired = text.replaceAll(/"([A-Za-z0-9+/=]*)…\[TRUNCATED[^"]*"/g, (_, kept: string) =>
    JSON.stringify(kept.slice(0, Math.floor(kept.length / 16) * 16)),
  )
  return { headers: recording.response.headers, bytes: new TextEncoder().encode(repaired) }
}

test.skipIf(!HAS_FIXTURES)(`embedding recordings of seven vendors exist${WITHOUT_FIXTURES}`, () => {
  const vendors = new Set([...HOSTS.map(([, vendor]) => vendor), "openai-compatible"])
  expect(new Set(RECORDINGS.map(vendorOf))).toEqual(vendors)
  expect(RECORDINGS.length).toBeGreaterThan(35)
})

describe.skipIf(!HAS_FIXTURES)(`recorded embedding responses${WITHOUT_FIXTURES}`, () => {
  for (const recording of ANSWERED) {
    test(`contain a vector for each text, and a token count: ${recording.id}`, async () => {
      const texts = textsOf(recording.request)
      const result = await decoded(vendorOf(recording), [whole(recording)], { input: texts })
      expect(result.vectors.length).toBe(texts.length)
      for (const vector of result.vectors) expect(numbersOf(vector).length).toBeGreaterThan(3)
      expect(result.tokens).toBe(countedBy(recording))
    })
  }
})

describe.skipIf(!HAS_FIXTURES)(`recorded embedding rejections${WITHOUT_FIXTURES}`, () => {
  for (const recording of RECORDINGS.filter(({ status }) => status !== 200)) {
    test(`count as errors of the caller only if the input is invalid: ${recording.id}`, () => {
      const { status, body, response } = recording
      const error = embeddingOf(vendorOf(recording)).decodeError(status, body, response.headers)
      if (/empty-input/.test(recording.id)) return expect(error.kind).toBe("rejected_by_upstream")
      // The error of a self-hosted server whose batch is smaller than a text.
      if (/past-the-batch/.test(recording.id)) return expect(error.kind).toBe("upstream_error")
      // These requests name models that the vendor does not have.
      expect(error.kind).toBe("upstream_error")
      if (status !== 404) expect(error.details.providerError).toBe("model")
    })
  }
})

/** The requests must equal those of the vendors' clients for the same texts. Members that are null are ignored. */
test.skipIf(!HAS_FIXTURES)(
  `the embedding encoder sends the same requests as the vendors' own clients${WITHOUT_FIXTURES}`,
  () => {
    const told = (id: string): JsonObject => {
      const found = RECORDINGS.find((recording) => recording.id.endsWith(id))
      if (!found) throw new Error(`nothing is recorded as ${id}`)
      const members = Object.entries(found.request).filter(([, value]) => value !== null)
      return Object.fromEntries(members)
    }
    const voyage = told("voyage/test-voyageai-embed-async-legacy--0")
    const body = {
      input: textsOf(voyage),
      input_type: "document",
      encoding_format: "base64",
      truncation: true,
    }
    expect(asked("voyage", body, "voyage-3-lite").bodies).toEqual([voyage])
    const cohere = told("can-handle-multiple-texts-with-custom-dime--0")
    expect(
      asked("cohere", { input: textsOf(cohere), dimensions: 1024 }, "embed-v4.0").bodies,
    ).toEqual([cohere])
    const gemini = told("gemini-embedding-001-can-handle-a-single-text-with-cu--0")
    expect(
      asked("google", { input: textsOf(gemini), dimensions: 768 }, "gemini-embedding-001").bodies,
    ).toEqual([gemini])
    const vertex = told("vertexai-text-embedding-004-can-handle-multiple-texts--1")
    expect(asked("vertex", { input: textsOf(vertex) }, "text-embedding-004").bodies).toEqual([
      vertex,
    ])
  },
)

interface OracleCase {
  readonly body: {
    readonly file: string
    readonly usage?: JsonObject
    readonly usageMetadata?: JsonObject
  }
  readonly extracted: readonly { readonly usage: { readonly input_tokens?: number } }[]
}

test.skipIf(!HAS_FIXTURES)(
  `embedding usage agrees with the oracle${WITHOUT_FIXTURES}`,
  async () => {
    const oracle = JSON.parse(readFixture("prices/genai-prices.usages-oracle.json")) as OracleCase[]
    const cases = oracle.filter(({ body }) => body.file.includes("test_embeddings"))
    expect(cases.length).toBeGreaterThan(1)
    for (const { body, extracted } of cases) {
      const { usage, usageMetadata } = body
      const result = usage
        ? await decoded("openai", [responseOf({ data: [{ embedding: [1] }], usage })])
        : await decoded("google", [responseOf({ embeddings: [{ values: [1] }], usageMetadata })])
      expect(result.tokens).toBe(extracted[0]?.usage.input_tokens)
    }
  },
)

interface JsGenai {
  readonly interactions: readonly {
    readonly request: { readonly bodySegments: readonly JsonObject[] }
    readonly response: { readonly bodySegments: readonly JsonObject[] }
  }[]
}

test.skipIf(!HAS_FIXTURES)(
  `the embedding decoder reads Google's responses like Google's own client${WITHOUT_FIXTURES}`,
  async () => {
    const file =
      "js-genai/Client_Tests_embedContent_Vertex_AI_should_embed_content_with_specified_parameters.json"
    const [call] = (JSON.parse(readFixture(file)) as JsGenai).interactions
    const texts = textsOf(call?.request.bodySegments[0] ?? {})
    const response = responseOf(call?.response.bodySegments[0])
    const { vectors, tokens } = await decoded("vertex", [response], { input: texts })
    expect([texts, numbersOf(vectors[0] ?? []).length, tokens]).toEqual([["Hello world"], 768, 2])
  },
)
