import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test"
import { Load } from "../../../src/routing/loads.ts"
import { wave } from "../../support/audio.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { equalLimits } from "../../support/settings.ts"
import { until } from "../../support/until.ts"
import { lateSoon } from "../pipeline/hedge-world.ts"
import { errorOf, receiptOf } from "../support.ts"

/** The responses in these tests exceed the size limit, although their provider bills them. */

const MEGABYTE = 1024 * 1024

let vendor: Bun.Server<undefined>
let calls = 0
let gateway: TestGateway
let caller: TestCaller
let respond = (_sent: string): Response | Promise<Response> => Response.json({})

beforeAll(async () => {
  vendor = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      calls++
      const sent = await request.text()
      return await respond(sent)
    },
  })
  const root = `http://127.0.0.1:${vendor.port}`
  const tokens = { input: "1", audio_input: "1", output: "2", audio_output: "2", image_output: "2" }
  const two = ["first", "second"].map((name, place) => ({
    provider: name,
    model: `vectors-${name}`,
    weight: 1 - place,
    price: { input: place === 0 ? "1" : "1000" },
  }))
  gateway = await startGateway({
    settings: { limits: equalLimits(MEGABYTE) },
    providers: {
      own: provider(`${root}/v1`, "openai-compatible"),
      first: provider(`${root}/v1`, "openai-compatible"),
      second: provider(`${root}/v1`, "openai-compatible"),
      openai: provider(`${root}/v1`, "openai"),
      google: provider(root, "google"),
      cohere: provider(root, "cohere"),
    },
    models: {
      "own/vectors": { kind: "embedding", price: tokens },
      "google/vectors": { kind: "embedding", price: tokens },
      "cohere/vectors": { kind: "embedding", price: tokens },
      "own/ranker": { kind: "rerank", price: tokens },
      "cohere/ranker": { kind: "rerank", price: { search: "0.002" } },
      "own/moderator": { kind: "moderation", price: tokens },
      "own/image": { kind: "image", price: tokens },
      "google/gemini-3-image": { kind: "image", price: tokens },
      "google/priced": { kind: "image", price: { image: "2000" } },
      "openai/gpt-image-1": { kind: "image", price: tokens },
      "google/image": { kind: "image", price: tokens },
      "google/imagen-4": { kind: "image", price: { image: "2000" } },
      "google/tts": { kind: "speech", price: tokens, maxOutput: 16_384 },
      "own/transcribe": { kind: "transcription", price: tokens, maxOutput: 4_000 },
      "google/transcribe": { kind: "transcription", price: tokens, maxOutput: 4_000 },
      "two/vectors": { kind: "embedding", deployments: two, strategy: "order", hedge: true },
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

function form(model: string): FormData {
  const body = new FormData()
  body.append("model", model)
  body.append("file", new File([wave(3)], "a.wav", { type: "audio/wav" }))
  return body
}

const SENT: Readonly<Record<string, readonly [path: string, fields: object]>> = {
  vectors: ["/v1/embeddings", { input: "Hello there" }],
  ranker: ["/v1/rerank", { query: "a", documents: ["b", "c"] }],
  moderator: ["/v1/moderations", { input: "Hello there" }],
  image: ["/v1/images/generations", { prompt: "A cat" }],
  tts: ["/v1/audio/speech", { input: "Hello there", voice: "alloy", response_format: "wav" }],
}

function send(model: string): Promise<Response> {
  const [path, fields] = SENT[model.split("/")[1] ?? ""] ?? []
  if (path !== undefined) return caller.post(path, { model, ...fields })
  return fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}` },
    body: form(model),
  })
}

const GOOGLE = { promptTokenCount: 30, candidatesTokenCount: 400, totalTokenCount: 430 }
const AUDIO = { promptTokensDetails: [{ modality: "AUDIO", tokenCount: 25 }] }

/** The members at the end of each response, and the usage on the receipt. */
const REPORTED: Readonly<Record<string, readonly [end: object, usage: object]>> = {
  "own/vectors": [{ usage: { prompt_tokens: 30, total_tokens: 30 } }, { input: 30 }],
  "google/vectors": [{ usageMetadata: { promptTokenCount: 30 } }, { input: 30 }],
  "cohere/vectors": [{ meta: { billed_units: { input_tokens: 30 } } }, { input: 30 }],
  "own/ranker": [{ usage: { total_tokens: 30 } }, { input: 30 }],
  "cohere/ranker": [{ meta: { billed_units: { search_units: 1 } } }, { search: 1 }],
  "own/moderator": [{ usage: { prompt_tokens: 30 } }, { input: 30 }],
  "own/image": [
    { usage: { input_tokens: 30, output_tokens: 400 } },
    { input: 30, image_output: 400, image: 1 },
  ],
  "google/image": [{ usageMetadata: GOOGLE }, { input: 30, image: 1 }],
  "google/tts": [{ usageMetadata: GOOGLE }, { input: 30, audio_output: 400 }],
  "own/transcribe": [
    { usage: { type: "tokens", input_tokens: 30, output_tokens: 40 } },
    { audio_input: 30, output: 40 },
  ],
  "google/transcribe": [
    { usageMetadata: { ...GOOGLE, ...AUDIO } },
    { input: 5, audio_input: 25, output: 400 },
  ],
}

function padded(bytes: number, end: object): Response {
  const text = JSON.stringify({ padding: "x".repeat(bytes), ...end })
  return new Response(text, { headers: { "content-type": "application/json" } })
}

async function rejected(model: string) {
  const before = calls
  const response = await send(model)
  const receipt = await receiptOf(caller, response)
  expect(response.status).toBe(502)
  expect(response.headers.get("x-should-retry")).toBe("false")
  expect((await errorOf(response)).message).toContain("limits.response_mb")
  expect(calls).toBe(before + 1)
  return receipt
}

describe("a response of an operation that is too large to read", () => {
  test.each(Object.keys(REPORTED))(
    "results in a charge for the usage at its end: %s",
    async (model) => {
      const [end = {}, usage = {}] = REPORTED[model] ?? []
      respond = () => padded(1.5 * MEGABYTE, end)
      const receipt = await rejected(model)
      expect(receipt).toMatchObject({ status: "settled", estimated: false, usage })
    },
  )

  test("results in a charge for the usage in the last event of a streamed image of 65 MB", async () => {
    const usage = { input_tokens: 30, output_tokens: 400 }
    const image = "A".repeat(65 * MEGABYTE)
    const end = { type: "image_generation.completed", b64_json: image, usage }
    respond = () =>
      new Response(`event: ${end.type}\ndata: ${JSON.stringify(end)}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      })
    const before = calls
    const order = { model: "openai/gpt-image-1", prompt: "A cat", stream: true }
    const response = await caller.post("/v1/images/generations", order)
    const receipt = await receiptOf(caller, response)
    expect((await errorOf(response)).message).toContain("was charged")
    expect(calls).toBe(before + 1)
    expect(receipt).toMatchObject({ usage: { input: 30, image_output: 400 } })
  })

  test("results in a charge for its usage even if it is only slightly too large", async () => {
    respond = () => padded(MEGABYTE, { usage: { prompt_tokens: 30 } })
    expect(await rejected("own/vectors")).toMatchObject({ estimated: false, usage: { input: 30 } })
  })

  test("results in a charge for its estimated usage if it reports no usage", async () => {
    respond = () => padded(1.5 * MEGABYTE, {})
    expect(await rejected("own/vectors")).toMatchObject({ estimated: true, usage: { input: 2 } })
  })

  test.each(["own/vectors", "own/image", "google/tts"])(
    "costs nothing if its end is missing: %s",
    async (model) => {
      const text = await padded(1.5 * MEGABYTE, REPORTED[model]?.[0] ?? {}).text()
      const headers = { "content-type": "application/json" }
      respond = () => new Response(text.slice(0, -1), { headers })
      const response = await send(model)
      expect((await errorOf(response)).status).toBe(502)
      expect(response.headers.get("x-should-retry")).toBe("true")
      expect((await receiptOf(caller, response)).cost).toBe("0")
    },
  )

  test.each([
    ["google/gemini-3-image", 0, GOOGLE, { input: 120, image_output: 1_600, image: 4 }],
    [
      "google/gemini-3-image",
      1,
      GOOGLE,
      { input: 120, output: 400, image_output: 1_200, image: 3 },
    ],
    ["google/priced", 0, GOOGLE, { image: 4 }],
    ["google/priced", 0, undefined, { image: 4 }],
  ])(
    "results in a charge together with the other images of %s, which are delivered",
    async (...row) => {
      const [model, texts, reported, usage] = row
      let made = 0
      respond = () => {
        made++
        if (made === 4) return padded(1.5 * MEGABYTE, reported ? { usageMetadata: reported } : {})
        const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }
        const part = made <= texts ? { text: "I cannot" } : image
        return Response.json({
          candidates: [{ content: { parts: [part] } }],
          usageMetadata: GOOGLE,
        })
      }
      const order = { model, prompt: "A cat", n: 4, response_format: "b64_json" }
      const response = await caller.post("/v1/images/generations", order)
      expect(response.status).toBe(200)
      expect(made).toBe(4)
      expect(((await response.json()) as { data: unknown }).data).toBeArrayOfSize(3 - texts)
      expect(response.headers.get("x-tollgate-losses")).toContain("n:approximated")
      const receipt = await receiptOf(caller, response)
      expect(receipt).toMatchObject({ status: "settled", estimated: false, usage })
    },
  )

  test.each([4, 1])(
    "results in a charge for as many images as its call requested: %i of 5",
    async (unread) => {
      respond = (sent) => {
        const { sampleCount } = JSON.parse(sent).parameters
        if (sampleCount === unread) return padded(1.5 * MEGABYTE, {})
        const image = { mimeType: "image/png", bytesBase64Encoded: "iVBORw0KGgo=" }
        return Response.json({ predictions: Array.from({ length: sampleCount }, () => image) })
      }
      const order = { model: "google/imagen-4", prompt: "A cat", n: 5, response_format: "b64_json" }
      const response = await caller.post("/v1/images/generations", order)
      expect(response.status).toBe(200)
      const receipt = await receiptOf(caller, response)
      expect(receipt).toMatchObject({ status: "settled", usage: { image: 5 } })
    },
  )

  test("results in a charge for the usage of all batches of texts", async () => {
    let made = 0
    respond = () => {
      if (++made === 2) return padded(1.5 * MEGABYTE, REPORTED["google/vectors"]?.[0] ?? {})
      const embeddings = Array.from({ length: 100 }, () => ({ values: [0.5, 0.5] }))
      return Response.json({ embeddings, usageMetadata: { promptTokenCount: 700 } })
    }
    const input = Array.from({ length: 200 }, () => "Hello there")
    const response = await caller.post("/v1/embeddings", { model: "google/vectors", input })
    expect(response.status).toBe(502)
    const receipt = await receiptOf(caller, response)
    expect(receipt).toMatchObject({ estimated: false, usage: { input: 730 } })
  })

  test.each([429, 500, 503])(
    "results in a charge even if another call failed earlier with status %i",
    async (status) => {
      using ended = spyOn(Load.prototype, "end")
      let made = 0
      respond = async () => {
        if (++made !== 2) return Response.json({ error: { message: "no" } }, { status })
        await until(() => ended.mock.calls.length > 0)
        return padded(1.5 * MEGABYTE, REPORTED["google/vectors"]?.[0] ?? {})
      }
      const input = Array.from({ length: 200 }, () => "Hello there")
      const response = await caller.post("/v1/embeddings", { model: "google/vectors", input })
      expect(response.headers.get("x-should-retry")).toBe("false")
      const receipt = await receiptOf(caller, response)
      expect(receipt).toMatchObject({ status: "settled", usage: { input: 30 } })
    },
  )

  test("costs the price of the deployment that sent it, not of the other deployment that was called", async () => {
    using late = lateSoon()
    const { promise: isSecond, resolve: called } = Promise.withResolvers<void>()
    respond = async (sent) => {
      if (!sent.includes("vectors-first")) {
        called()
        return new Promise(() => undefined)
      }
      await isSecond
      return padded(1.5 * MEGABYTE, { usage: { prompt_tokens: 30 } })
    }
    const response = await send("two/vectors")
    expect(late).toHaveBeenCalled()
    const receipt = await receiptOf(caller, response)
    expect(response.status).toBe(502)
    expect(receipt).toMatchObject({ usage: { input: 30 }, cost: "0.00003" })
  })
})
