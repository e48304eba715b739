import { describe, expect, test } from "bun:test"
import {
  encodeEmbeddingResult,
  encodeGeminiEmbeddings,
} from "../../src/dialects/embedding/result.ts"
import { renderTranscript } from "../../src/dialects/transcription/result.ts"
import type { JsonObject, JsonValue } from "../../src/canon/json.ts"
import type { OperationResponse } from "../../src/canon/operation.ts"
import type { TranscriptForm } from "../../src/canon/transcription.ts"
import { embeddingOf, requestOf as embeddingRequest } from "../dialects/embedding/support.ts"
import { imagesOf, requestOf as imageRequest } from "../dialects/image/support.ts"
import { transcriptionOf } from "../support/audio-request.ts"
import { expectBelow, threadTime } from "../support/processor-time.ts"
import { vendors } from "../../src/vendors/index.ts"
import { changed, isRejected, memberAt, pathsIn } from "./large-members.ts"

/**
 * A large list in the response of an operation must be rejected, or converted within the time that other callers may
 * wait.
 */

const ELEMENTS = 1_000_000
const MAX_MS = 150

const EMBEDDINGS: Readonly<Record<string, JsonObject>> = {
  openai: { data: [{ index: 0, embedding: [0.5, 1] }], usage: { prompt_tokens: 1 } },
  cohere: { embeddings: { float: [[0.5, 1]] }, meta: { billed_units: { input_tokens: 1 } } },
  google: { embeddings: [{ values: [0.5, 1] }] },
  vertex: { predictions: [{ embeddings: { values: [0.5, 1], statistics: { token_count: 1 } } }] },
  bedrock: { embedding: [0.5, 1] },
}
const IMAGES: Readonly<Record<string, JsonObject>> = {
  openai: { data: [{ b64_json: "aGk=" }] },
  google: {
    candidates: [{ content: { parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }] } }],
    predictions: [{ bytesBase64Encoded: "aGk=", prompt: "p" }],
  },
  bedrock: { images: ["aGk="] },
}
const SEGMENT = { id: 0, start: 0, end: 1, text: "a", tokens: [1] }
const WORD = { word: "a", start: 0, end: 1 }
const TRANSCRIPTS: Readonly<Record<string, JsonObject>> = {
  openai: { task: "transcribe", duration: 1, text: "a", segments: [SEGMENT], words: [WORD] },
  mistral: { text: "a", segments: [SEGMENT] },
  xai: { text: "a", words: [{ text: "a", start: 0, end: 1 }] },
  elevenlabs: { text: "a", words: [{ type: "word", text: "a", start: 0, end: 1 }] },
  deepgram: {
    results: {
      channels: [{ alternatives: [{ transcript: "a", words: [WORD] }] }],
      utterances: [{ start: 0, end: 1, transcript: "a", speaker: 0 }],
    },
  },
}
const FORMS: readonly TranscriptForm[] = ["json", "verbose_json", "diarized_json", "srt"]

/** Yields copies of the responses of each vendor. In each copy, one list is large. */
function* largeResponses(
  samples: Readonly<Record<string, JsonObject>>,
): Generator<[string, string, () => OperationResponse]> {
  for (const [vendor, sample] of Object.entries(samples)) {
    for (const path of pathsIn(sample)) {
      if (!Array.isArray(memberAt(sample, path))) continue
      yield [vendor, path.join("."), () => responseOf(changed(sample, path, repeated))]
    }
  }
}

function repeated(list: JsonValue): JsonValue {
  const [first = 0] = list as JsonValue[]
  return Array.from({ length: ELEMENTS }, () => first)
}

function responseOf(json: JsonObject): OperationResponse {
  return { headers: new Headers(), bytes: new Uint8Array(), json }
}

function timeOf(work: () => unknown): number {
  return threadTime(() => void isRejected(() => void work()), MAX_MS)
}

describe("the embeddings decoder", () => {
  const decode = (vendor: string, response: OperationResponse) => {
    const result = embeddingOf(vendor).decode([response], embeddingRequest({}))
    if (result instanceof Promise) throw new Error("not decoded in one turn")
    return result.vectors
  }

  test.each([...largeResponses(EMBEDDINGS)])(
    "reads a response of %s with a large %s quickly",
    (vendor, _, make) => {
      const response = make()
      const work = () => {
        const vectors = decode(vendor, response)
        for (const _ of encodeEmbeddingResult(embeddingRequest({}), vectors, 1));
        JSON.stringify(encodeGeminiEmbeddings(vectors, 1))
      }
      expectBelow(timeOf(work), MAX_MS)
    },
  )

  const withVector = (embedding: JsonValue) =>
    responseOf({ data: [{ index: 0, embedding }], usage: { prompt_tokens: 1 } })

  test("accepts at most 65,536 dimensions in either encoding", () => {
    const floats = (count: number) => Buffer.alloc(4 * count).toString("base64")
    const numbers = (count: number) => Array.from({ length: count }, () => 0.5)
    for (const vector of [floats, numbers]) {
      expect(decode("openai", withVector(vector(65_536)))).toHaveLength(1)
      expect(() => decode("openai", withVector(vector(65_540)))).toThrow("65,536 dimensions")
    }
  })

  test("rejects a vector of 100 MB quickly", () => {
    const response = withVector("AAAA".repeat(25_000_000))
    expectBelow(
      timeOf(() => decode("openai", response)),
      MAX_MS,
    )
  })

  test("rejects more vectors than inputs", () => {
    const vector = { embedding: [1] }
    const response = responseOf({ data: [vector, vector], usage: { prompt_tokens: 1 } })
    expect(() => decode("openai", response)).toThrow("2 embeddings for 1 inputs")
    const request = embeddingRequest({ input: ["a", "b", "c"] })
    expect(() => embeddingOf("openai").decode([response, response], request)).toThrow(
      "4 embeddings for 3 inputs",
    )
  })

  test("encodes each vector only when it is written", () => {
    const vectors = Array.from({ length: 2_000 }, () => Buffer.alloc(4 * 4_096).toString("base64"))
    const request = embeddingRequest({})
    expectBelow(
      timeOf(() => encodeEmbeddingResult(request, vectors, 1).next()),
      20,
    )
    expectBelow(
      timeOf(() => encodeGeminiEmbeddings(vectors, 1)),
      20,
    )
  })
})

describe("the image decoder", () => {
  test.each([...largeResponses(IMAGES)])(
    "reads a response of %s with a large %s quickly",
    (vendor, _, make) => {
      const response = make()
      const work = () => imagesOf(vendor).decode([response], imageRequest())
      expectBelow(timeOf(work), MAX_MS)
    },
  )

  test("returns at most 1,000 images", () => {
    const response = (count: number) =>
      responseOf({ data: Array.from({ length: count }, () => ({ b64_json: "aGk=" })) })
    const decode = (count: number) => imagesOf("openai").decode([response(count)], imageRequest())
    expect(decode(1_000)).toHaveProperty("images.length", 1_000)
    expect(decode(1_001)).toHaveProperty("images.length", 1_000)
  })
})

describe("transcript conversion", () => {
  const decode = (vendor: string, response: OperationResponse, form: TranscriptForm) => {
    const format = vendors.get(vendor)?.operations?.transcription
    if (!format) throw new Error(`${vendor} does not transcribe`)
    return format.decode(response, transcriptionOf({ form, granularities: ["segment", "word"] }))
  }
  const render = (vendor: string, response: OperationResponse, form: TranscriptForm) =>
    renderTranscript(
      decode(vendor, response, form),
      transcriptionOf({ form, granularities: ["segment", "word"] }),
    )

  test.each([...largeResponses(TRANSCRIPTS)])(
    "reads a response of %s with a large %s quickly",
    (vendor, _, make) => {
      const response = make()
      for (const form of FORMS) {
        expectBelow(
          timeOf(() => render(vendor, response, form)),
          MAX_MS,
        )
      }
    },
  )

  const timed = (count: number) =>
    responseOf({
      text: "a",
      duration: 1,
      segments: Array.from({ length: count }, () => SEGMENT),
      words: Array.from({ length: count }, () => WORD),
    })

  test("returns at most 100,000 segments and words", () => {
    const { segments, words } = decode("openai", timed(100_000), "srt")
    expect([segments?.length, words?.length]).toEqual([100_000, 100_000])
    expect(() => decode("openai", timed(100_001), "srt")).toThrow("100,000 segments or words")
  })

  test.each(FORMS)("writes a transcript of the maximum size quickly as %s", (form) => {
    const response = timed(100_000)
    expectBelow(
      timeOf(() => render("openai", response, form)),
      MAX_MS,
    )
  })
})
