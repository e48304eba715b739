import { afterAll, beforeAll, expect, test } from "bun:test"
import { wave } from "../../../support/audio.ts"
import { provider, startGateway, type TestGateway } from "../../../support/gateway.ts"
import { nanocredits, onlyReceipt } from "../../support.ts"

/** The count that the providers report. */
let spoken = 0
let vendor: Bun.Server<undefined>
let gateway: TestGateway

function answer(path: string): Response {
  if (path.includes("generateContent")) {
    const inlineData = {
      mimeType: "audio/L16;codec=pcm;rate=24000",
      data: Buffer.alloc(48_000).toString("base64"),
    }
    const parts = path.includes("tts") ? [{ inlineData }] : [{ text: "Hello" }]
    const counts = {
      promptTokenCount: 12,
      candidatesTokenCount: spoken,
      totalTokenCount: 12 + spoken,
    }
    const candidates = [{ content: { parts }, finishReason: "STOP" }]
    return Response.json({ candidates, usageMetadata: counts })
  }
  const delta = { type: "speech.audio.delta", audio: Buffer.alloc(4_800).toString("base64") }
  const usage = { input_tokens: 20, output_tokens: spoken, total_tokens: 20 + spoken }
  const events = [delta, { type: "speech.audio.done", usage }]
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

const SPEECH = { kind: "speech", price: { input: "1", audio_output: "10" } } as const

beforeAll(async () => {
  vendor = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      await request.arrayBuffer()
      return answer(decodeURIComponent(new URL(request.url).pathname))
    },
  })
  const url = `http://127.0.0.1:${vendor.port}`
  gateway = await startGateway({
    providers: { openai: provider(`${url}/v1`, "openai"), google: provider(url, "google") },
    models: {
      "openai/gpt-4o-mini-tts": SPEECH,
      "google/gemini-tts": { ...SPEECH, maxOutput: 16_384 },
      "google/gemini-2.5-pro": {
        kind: "transcription",
        price: { input: "1", output: "10" },
        maxOutput: 65_536,
      },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

const OPENAI = {
  model: "openai/gpt-4o-mini-tts",
  voice: "alloy",
  input: "hi",
  stream_format: "sse",
}
const GEMINI = {
  model: "google/gemini-tts",
  voice: "Kore",
  input: "Wait ten minutes. Hi",
  response_format: "wav",
}

async function speak(body: object, credits = "100") {
  const caller = await gateway.caller(credits)
  const before = await caller.balance()
  const response = await caller.post("/v1/audio/speech", body)
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  const { hold, cost, usage } = await onlyReceipt(gateway, caller)
  return {
    hold: nanocredits(hold),
    cost: nanocredits(cost),
    charged: before - (await caller.balance()),
    usage,
  }
}

test("the hold for speech with instructions covers the longest audio of the model", async () => {
  spoken = 6_000
  const { hold, cost, charged, usage } = await speak({
    ...OPENAI,
    instructions: "Pause for minutes.",
  })
  expect(usage).toMatchObject({ input: 20, audio_output: spoken })
  expect(charged).toBe(20_000n + 60_000_000n)
  expect(cost).toBe(charged)
  expect(hold).toBeGreaterThan(charged)
})

test("the hold for speech by Gemini covers the longest audio of the model", async () => {
  spoken = 15_000
  const { hold, charged } = await speak(GEMINI)
  expect(charged).toBe(12_000n + 150_000_000n)
  expect(hold).toBeGreaterThan(charged)
})

test("speech that is longer than its text suggests is charged to the balance", async () => {
  spoken = 6_000
  const { hold, charged } = await speak(OPENAI)
  expect(charged).toBe(20_000n + 60_000_000n)
  expect(hold).toBeLessThan(10_000_000n)
})

test("speech beyond the model's maximum length is written off", async () => {
  spoken = 1_000_000
  const { charged, usage } = await speak(OPENAI)
  expect(usage).toMatchObject({ audio_output: 16_384 })
  expect(charged).toBe(20_000n + 163_840_000n)
  expect((await speak(GEMINI)).usage).toMatchObject({ audio_output: 16_384 })
})

test("reasoning in addition to a transcript is charged to the balance", async () => {
  spoken = 3_005
  const caller = await gateway.caller("100")
  const before = await caller.balance()
  const body = new FormData()
  body.set("model", "google/gemini-2.5-pro")
  body.set("file", new File([wave(1)], "a.wav"))
  const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}` },
    body,
  })
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  const { usage } = await onlyReceipt(gateway, caller)
  expect(usage).toMatchObject({ output: 3_005 })
  expect(before - (await caller.balance())).toBe(12_000n + 30_050_000n)
})
