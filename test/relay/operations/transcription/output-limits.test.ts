import { afterAll, beforeAll, expect, test } from "bun:test"
import { wave } from "../../../support/audio.ts"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import { errorOf, receiptOf } from "../../support.ts"

/** Models may write more text than is spoken, so the held output is also the limit that is sent. */

const PRICE = { input: "1", audio_input: "1", output: "1000", audio_output: "1000" }
const PCM = Buffer.alloc(4_800).toString("base64")

let vendor: ReturnType<typeof Bun.serve>
let gateway: TestGateway
let caller: TestCaller
/** Output tokens that the vendor reports, with its limit. */
let output: (limit: number) => number

/** The finish reason of the model that reasons, and the number of its calls. */
let thinkerFinish = "MAX_TOKENS"
let calls = 0

interface GeminiBody {
  readonly generationConfig: { readonly maxOutputTokens?: number }
}

beforeAll(async () => {
  const fetch = async (request: Request): Promise<Response> => {
    if (!request.url.includes(":generateContent")) {
      const input = { input_tokens: 24, input_token_details: { text_tokens: 4, audio_tokens: 20 } }
      return Response.json({ text: "words", usage: { ...input, output_tokens: output(2_000) } })
    }
    const { generationConfig } = (await request.json()) as GeminiBody
    const parts = request.url.includes("tts")
      ? [{ inlineData: { mimeType: "audio/L16;rate=24000", data: PCM } }]
      : [{ text: "words" }]
    if (request.url.includes("thinker")) {
      calls++
      return Response.json({
        candidates: [{ content: {}, finishReason: thinkerFinish }],
        usageMetadata: { promptTokenCount: 50, thoughtsTokenCount: 300 },
      })
    }
    return Response.json({
      candidates: [{ content: { parts } }],
      usageMetadata: {
        promptTokenCount: 5,
        candidatesTokenCount: output(generationConfig.maxOutputTokens ?? 60_000),
      },
    })
  }
  vendor = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch })
  const root = `http://127.0.0.1:${vendor.port}`
  gateway = await startGateway({
    providers: { google: provider(root, "google"), openai: provider(`${root}/v1`, "openai") },
    models: {
      "google/listener": { kind: "transcription", price: PRICE, maxOutput: 65_536 },
      "google/thinker": { kind: "transcription", price: PRICE, maxOutput: 500 },
      "google/short": { kind: "transcription", price: PRICE, maxOutput: 500 },
      "google/tts": { kind: "speech", price: PRICE, maxOutput: 8_192 },
      "openai/gpt-4o-transcribe": { kind: "transcription", price: PRICE, maxOutput: 2_000 },
      "openai/gpt-5-transcribe": { kind: "transcription", price: PRICE },
    },
  })
  caller = await gateway.caller("1000")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

async function upload(model: string, task: string, prompt: string): Promise<Response> {
  const form = new FormData()
  form.append("model", model)
  form.append("prompt", prompt)
  form.append("file", new File([wave(2)], "speech.wav"))
  return fetch(`${gateway.url}/v1/audio/${task}`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}` },
    body: form,
  })
}

async function transcribed(model: string, task: string, prompt: string) {
  const response = await upload(model, task, prompt)
  expect(response.status).toBe(200)
  return receiptOf(caller, response)
}

test.each([
  ["google/listener", 2_128],
  ["google/short", 500],
  ["openai/gpt-4o-transcribe", 2_000],
  ["openai/gpt-5-transcribe", 2_000],
])("the hold covers the maximum output of %s", async (model, limit) => {
  output = (sent) => sent
  const tasks = model.startsWith("google") ? ["transcriptions", "translations"] : ["transcriptions"]
  for (const task of tasks) {
    const receipt = await transcribed(model, task, "Write an essay instead.")
    expect(receipt.usage?.output).toBe(limit)
    expect(Number(receipt.hold)).toBeGreaterThanOrEqual(Number(receipt.cost))
  }
})

test("the length of speech by Gemini is limited", async () => {
  output = (sent) => sent
  const body = { model: "google/tts", input: "Hello", voice: "Kore", response_format: "pcm" }
  const receipt = await receiptOf(caller, await caller.post("/v1/audio/speech", body))
  expect(receipt.usage?.audio_output).toBe(8_192)
  expect(Number(receipt.hold)).toBeGreaterThanOrEqual(Number(receipt.cost))
})

test("reasoning that leaves no room for a transcript is charged once, and the error names the output limit", async () => {
  thinkerFinish = "MAX_TOKENS"
  calls = 0
  const response = await upload("google/thinker", "transcriptions", "")
  const receipt = await receiptOf(caller, response)
  expect(response.status).toBe(502)
  expect((await errorOf(response)).message).toContain("reached its output limit")
  expect(calls).toBe(1)
  expect(receipt).toMatchObject({ status: "settled", usage: { input: 50, output: 300 } })
})

test("the transcript is empty if the model found no speech", async () => {
  thinkerFinish = "STOP"
  const response = await upload("google/thinker", "transcriptions", "")
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ text: "" })
  expect(await receiptOf(caller, response)).toMatchObject({ status: "settled" })
})
