import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import {
  type Handler,
  type ScriptedVendor,
  startVendor,
  streamed,
} from "../../relay/scripted-vendor.ts"
import { creditsOf, dataOf, onlyReceipt, readUntil, receiptOf } from "../../relay/support.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"

/** A vendor with Google's dialect that omits required fields. The caller uses the same dialect. */
let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
let answer: Handler

beforeAll(async () => {
  vendor = startVendor((request, number) => answer(request, number))
  const url = vendor.url.replace("/v1", "")
  gateway = await startGateway({
    providers: { google: provider(url, "google") },
    models: { "google/model": simulated({ disconnect: "cancel" }) },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

beforeEach(async () => {
  caller = await gateway.caller("1")
})

const MODEL = "/v1beta/models/google/model"
const CONTENTS = [{ role: "user", parts: [{ text: "Hello" }] }]
const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }

function said(text: string, more: JsonObject = {}): JsonObject {
  return { candidates: [{ content: { parts: [{ text }] }, ...more }] }
}

function framesOf(...chunks: readonly JsonObject[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join("")
}

function ask(more: JsonObject = {}, signal?: AbortSignal): Promise<Response> {
  const path = `${MODEL}:streamGenerateContent?alt=sse`
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { "x-goog-api-key": caller.key, "content-type": "application/json" },
    body: JSON.stringify({ contents: CONTENTS, ...more }),
    ...(signal && { signal }),
  })
}

async function chunksOf(response: Response): Promise<JsonObject[]> {
  return dataOf(await response.text()).map((data) => JSON.parse(data) as JsonObject)
}

function textOf(chunks: readonly JsonObject[]): string {
  return chunks
    .flatMap(({ candidates }) => candidates as JsonObject[])
    .flatMap(({ content }) => (isJsonObject(content) ? (content.parts as JsonObject[]) : []))
    .map(({ text }) => text)
    .join("")
}

describe("a response of a Gemini vendor that omits fields", () => {
  test("gets the missing fields of Google's format without streaming", async () => {
    answer = () => Response.json(said("Hi"))
    const response = await caller.post(`${MODEL}:generateContent`, { contents: CONTENTS })
    const receipt = await receiptOf(caller, response)
    const { input = 0, output = 0 } = receipt.usage ?? {}
    expect(await response.json()).toEqual({
      candidates: [
        { content: { parts: [{ text: "Hi" }], role: "model" }, finishReason: "STOP", index: 0 },
      ],
      modelVersion: "google/model",
      responseId: expect.stringMatching(/^resp_\w{20,}$/),
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output,
        totalTokenCount: input + output,
      },
    })
  })

  test("gets the missing fields of Google's format in each chunk with streaming", async () => {
    answer = () => streamed([framesOf(said("H"), said("i", { finishReason: "STOP" }))])
    const chunks = await chunksOf(await ask())
    expect(textOf(chunks)).toBe("Hi")
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        candidates: [{ content: { role: "model" }, index: 0 }],
        modelVersion: "google/model",
      })
    }
    expect(new Set(chunks.map(({ responseId }) => responseId)).size).toBe(1)
    expect(chunks[0]?.responseId).toMatch(/^resp_\w{20,}$/)
    const last = chunks.at(-1)
    expect(last).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: { totalTokenCount: expect.any(Number), cost: expect.any(Number) },
    })
  })

  test("gets a missing usage total", async () => {
    const { totalTokenCount: _, ...usageMetadata } = USAGE
    answer = () => Response.json({ ...said("Hi", { finishReason: "STOP" }), usageMetadata })
    const response = await caller.post(`${MODEL}:generateContent`, { contents: CONTENTS })
    expect(await response.json()).toMatchObject({ usageMetadata: USAGE })
    answer = () => streamed([framesOf({ ...said("Hi", { finishReason: "STOP" }), usageMetadata })])
    expect((await chunksOf(await ask())).at(-1)).toMatchObject({ usageMetadata: USAGE })
  })
})

describe("a Gemini response without candidates", () => {
  const nothing = { candidates: [], usageMetadata: USAGE }
  test.each([
    ["whole", () => Response.json(nothing)],
    ["empty", () => streamed([""])],
  ])("becomes an error response without a charge: %s", async (way, told) => {
    answer = told
    const response =
      way === "whole"
        ? await caller.post(`${MODEL}:generateContent`, { contents: CONTENTS })
        : await ask()
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ error: { error_type: "upstream_error" } })
    expect(await creditsOf(caller)).toMatchObject({ balance: "1", held: "0" })
  })
})

test("a Gemini stream without candidates becomes an error response", async () => {
  answer = () => streamed([framesOf({ candidates: [], usageMetadata: USAGE })])
  const rejected = await ask()
  expect(rejected.status).toBe(502)
  expect(await rejected.json()).toMatchObject({
    error: { code: 502, error_type: "upstream_error" },
  })
})

describe("stop strings in Google's format", () => {
  test("end the response and cancel the call, even if there are more of them than Google allows", async () => {
    answer = () =>
      streamed([
        framesOf(said("Hello ")),
        framesOf(said("there ST")),
        framesOf(said("OP on")),
        60_000,
      ])
    const stopSequences = ["a1", "b2", "c3", "d4", "e5", "STOP"]
    const chunks = await chunksOf(await ask({ generationConfig: { stopSequences } }))
    expect(textOf(chunks)).toBe("Hello there ")
    expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }] })
    expect(await onlyReceipt(gateway, caller)).toMatchObject({ status: "settled", estimated: true })
  })
})

describe("a client of Google's API that disconnects", () => {
  const KINDS: Readonly<Record<string, JsonObject>> = {
    words: { text: "as many words as forty letters and more" },
    thoughts: { text: "as many words as forty letters and more", thought: true },
    "a call": { functionCall: { name: "find", args: { what: "as many words as forty letters" } } },
    code: {
      executableCode: { language: "PYTHON", code: "print('as many words as forty letters')" },
    },
    "the output of code": {
      codeExecutionResult: { outcome: "OUTCOME_OK", output: "x".repeat(60) },
    },
    "an image": { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo".repeat(400) } },
    "an unknown part": { dream: { is: "as many words as forty letters and more" } },
  }

  test.each(Object.keys(KINDS))(
    "pays for %s that it received before it disconnected",
    async (kind) => {
      answer = () =>
        streamed([framesOf({ candidates: [{ content: { parts: [KINDS[kind] ?? {}] } }] }), 60_000])
      const left = new AbortController()
      const reader = (await ask({}, left.signal)).body?.getReader()
      if (!reader) throw new Error("no body")
      await readUntil(reader, (text) => text.includes("parts"))
      left.abort()
      const receipt = await onlyReceipt(gateway, caller)
      expect(receipt).toMatchObject({ status: "settled", estimated: true })
      const { output = 0, image_output: drawn = 0 } = receipt.usage ?? {}
      expect(output + drawn).toBeGreaterThanOrEqual(5)
    },
  )

  test("pays only for the input if it received only frames without content", async () => {
    const usageMetadata = { trafficType: "ON_DEMAND" }
    answer = () => streamed([framesOf({ responseId: "x", usageMetadata }), 60_000])
    const left = new AbortController()
    const reader = (await ask({}, left.signal)).body?.getReader()
    if (!reader) throw new Error("no body")
    await readUntil(reader, (text) => text.includes("responseId"))
    left.abort()
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(Object.keys(receipt.usage ?? {})).toEqual(["input"])
  })
})

describe("a generateContent stream as one array", () => {
  const PATH = `${MODEL}:streamGenerateContent`

  function askArray(signal?: AbortSignal): Promise<Response> {
    return fetch(`${gateway.url}${PATH}?key=${caller.key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ contents: CONTENTS }),
      ...(signal && { signal }),
    })
  }

  test("remains valid JSON, and ends with the error if the vendor's stream breaks", async () => {
    answer = () => streamed([framesOf(said("H"), said("i"))])
    const chunks = (await (await askArray()).json()) as JsonObject[]
    expect(chunks).toHaveLength(3)
    expect(chunks.at(-1)).toMatchObject({ error: { code: 502, status: "UNAVAILABLE" } })
    expect(await onlyReceipt(gateway, caller)).toMatchObject({ status: "settled", estimated: true })
  })

  test("cancels the call and charges the delivered part when its client disconnects", async () => {
    const wasCut = Promise.withResolvers<void>()
    function* endless(): Generator<string | number> {
      yield framesOf(said("as many words as forty letters and more"))
      for (;;) yield 1
    }
    answer = () => streamed(endless(), "text/event-stream", () => wasCut.resolve())
    const left = new AbortController()
    const reader = (await askArray(left.signal)).body?.getReader()
    if (!reader) throw new Error("no body")
    await readUntil(reader, (text) => text.includes("forty"))
    left.abort()
    await wasCut.promise
    expect(await onlyReceipt(gateway, caller)).toMatchObject({ status: "settled", estimated: true })
  })

  test("becomes an ordinary error response if it fails before its first frame", async () => {
    answer = () =>
      Response.json(
        { error: { code: 400, message: "no", status: "INVALID_ARGUMENT" } },
        { status: 400 },
      )
    const response = await askArray()
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { message: "no", error_type: "rejected_by_upstream" },
    })
  })
})
