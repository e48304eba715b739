import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion, respond, response, textResponse } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, receiptOf } from "../support.ts"

/**
 * The tests use providers that report the input tokens of a response but not its output tokens, or only those of some
 * calls.
 */

type Json = Record<string, unknown>

const WORDS = 100
const TEXT = "word ".repeat(WORDS)

/** Usage without output tokens, by the format of the vendor. */
const REPORTS: readonly (readonly [model: string, usage: Json])[] = [
  ["compatible/m", { prompt_tokens: 950 }],
  ["compatible/m", { prompt_tokens: 950, completion_tokens: 0, total_tokens: 950 }],
  ["compatible/m", { prompt_tokens: 950, completion_tokens: "x" }],
  ["anthropic/m", { input_tokens: 950 }],
  ["anthropic/m", { input_tokens: 950, output_tokens: null }],
  ["anthropic/m", { input_tokens: 950, output_tokens: -5 }],
  ["anthropic/m", { input_tokens: 950, service_tier: "standard" }],
  ["google/m", { promptTokenCount: 950 }],
]

const IMAGE = `iVBORw0K${"A".repeat(2_000)}`
const SOUND = Buffer.alloc(48_000).toString("base64")
const google = (data: string, mimeType: string): Json => ({
  candidates: [
    {
      content: { role: "model", parts: [{ inlineData: { mimeType, data } }] },
      finishReason: "STOP",
      index: 0,
    },
  ],
  modelVersion: "m",
})
const thoughts = { promptTokenCount: 950, thoughtsTokenCount: 600, totalTokenCount: 1_550 }
const gemini = (...parts: readonly Json[]): Json => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
  modelVersion: "m",
})
const reasoning = {
  type: "reasoning",
  id: "rs_1",
  summary: [],
  encrypted_content: "A".repeat(4_000),
}

/** Responses without text, with usage that does not include the output. */
const MEDIA: readonly (readonly [name: string, model: string, answer: Json, usage: Json])[] = [
  ["an image of Gemini", "google/m", google(IMAGE, "image/png"), { promptTokenCount: 950 }],
  [
    "an image of Gemini, counted as zero",
    "google/m",
    google(IMAGE, "image/png"),
    { promptTokenCount: 950, candidatesTokenCount: 0, totalTokenCount: 950 },
  ],
  ["audio of Gemini", "google/m", google(SOUND, "audio/L16"), { promptTokenCount: 950 }],
  ["an image of Gemini, with thoughts", "google/m", google(IMAGE, "image/png"), thoughts],
  ["audio of Gemini, with thoughts", "google/m", google(SOUND, "audio/L16"), thoughts],
  [
    "code of Gemini, with thoughts",
    "google/m",
    gemini({ executableCode: { language: "PYTHON", code: TEXT } }),
    thoughts,
  ],
  [
    "audio of OpenAI",
    "compatible/m",
    completion(
      {},
      {},
      { content: null, audio: { id: "a", data: SOUND, transcript: "", expires_at: 1 } },
    ),
    { prompt_tokens: 950 },
  ],
  [
    "encrypted reasoning",
    "responses/m",
    response([reasoning], { output: [reasoning] }),
    { input_tokens: 950, output_tokens: 0, total_tokens: 950 },
  ],
]

let vendor: ScriptedVendor
/** The response that is sent instead of text. */
let media: Json | undefined
let gateway: TestGateway
/** The usage of the next responses. The last usage is repeated. */
let usages: (Json | undefined)[] = []

beforeAll(async () => {
  vendor = startVendor((request) => {
    const { pathname } = new URL(request.url)
    const usage = usages.length > 1 ? usages.shift() : usages[0]
    const name = pathname.includes("enerateContent") ? "usageMetadata" : "usage"
    const answer = media ? { ...media, [name]: usage } : textResponse(pathname, TEXT, usage)
    return respond(pathname, vendor.bodies.at(-1), answer)
  })
  const price = { input: "1", output: "10" }
  gateway = await startGateway({
    providers: {
      compatible: provider(vendor.url),
      anthropic: provider(vendor.url, "anthropic"),
      google: provider(vendor.url, "google"),
      responses: { ...provider(vendor.url, "openai"), dialects: ["openai-responses"] },
    },
    models: {
      "compatible/m": simulated({ price }),
      "anthropic/m": simulated({ price }),
      "google/m": simulated({ price }),
      "responses/m": simulated({ price }),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

async function receiptFor(body: Json) {
  const caller = await gateway.caller("100")
  const posted = await caller.post(CHAT, { messages: HELLO, max_tokens: 10_000, ...body })
  const text = await posted.text()
  expect(posted.status, text).toBe(200)
  return receiptOf(caller, posted)
}

for (const stream of [false, true]) {
  test.each(MEDIA)(
    `the gateway counts output that the vendor does not count: %s, stream ${stream}`,
    async (...each) => {
      const [, model, answer, usage] = each
      usages = [usage]
      media = answer
      const receipt = await receiptFor({ model, stream })
      media = undefined
      expect(receipt.estimated).toBe(true)
      const { input, ...counts } = receipt.usage ?? {}
      expect(input).toBe(950)
      const output = Object.values(counts).reduce((sum, count) => sum + count, 0)
      expect(output).toBeGreaterThan(20)
    },
  )

  test.each(REPORTS)(
    `the gateway counts text that the vendor does not count: %s %j, stream ${stream}`,
    async (...each) => {
      const [model, usage] = each
      usages = [usage]
      const receipt = await receiptFor({ model, stream })
      expect(receipt.estimated).toBe(true)
      // The first frame of the message stream reports its own count.
      expect(receipt.usage?.["input"]).toBe(950)
      expect(receipt.usage?.["output"]).toBeGreaterThanOrEqual(WORDS)
    },
  )

  test.each([stream ? {} : undefined, { input_tokens: 950, output_tokens: 0 }])(
    `the gateway counts a call with usage %j, and uses the reports of other calls, stream ${stream}`,
    async (usage) => {
      usages = [{ input_tokens: 950, output_tokens: 700 }, usage]
      const receipt = await receiptFor({ model: "anthropic/m", stream, n: 2 })
      expect(receipt.estimated).toBe(true)
      expect(receipt.usage?.["output"]).toBeGreaterThanOrEqual(700 + WORDS)
      expect(receipt.usage?.["output"]).toBeLessThan(700 + 2 * WORDS)
    },
  )
}

/** Gemini responses that report thoughts and no other output, with the expected range of their output. */
const THOUGHTS: readonly (readonly [name: string, answer: Json, min: number, max: number])[] = [
  ["text", gemini({ text: TEXT }), 600 + WORDS, 600 + 1.2 * WORDS],
  [
    "text and a summary of the thoughts",
    gemini({ text: "I think.", thought: true }, { text: TEXT }),
    600 + WORDS,
    600 + 1.2 * WORDS,
  ],
  [
    "text with a signature",
    gemini({ text: TEXT, thoughtSignature: "A".repeat(4_000) }),
    600 + WORDS,
    600 + 1.2 * WORDS,
  ],
  ["a summary alone", gemini({ text: TEXT, thought: true }), 600, 600],
  ["a signature alone", gemini({ text: "", thoughtSignature: "A".repeat(400) }), 600, 600],
]

for (const stream of [false, true]) {
  test.each(THOUGHTS)(
    `reported thoughts are charged in addition to %s, stream ${stream}`,
    async (...each) => {
      const [, answer, min, max] = each
      usages = [thoughts]
      media = answer
      const receipt = await receiptFor({ model: "google/m", stream })
      media = undefined
      expect(receipt.usage?.["output"]).toBeWithin(min, max + 1)
      expect(receipt.usage?.["reasoning"]).toBe(600)
      expect(receipt.estimated).toBe(min !== max)
    },
  )
}
