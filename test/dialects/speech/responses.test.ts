import { describe, expect, test } from "bun:test"
import { asGatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import type { Spoken } from "../../../src/canon/speech.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { vendors } from "../../../src/vendors/index.ts"

/** Returns the decoded speech of a response whose audio is in JSON. */
function spoken(vendor: string, body: JsonObject): Spoken {
  const format = vendors.get(vendor)?.operations?.speech
  if (!format) throw new Error(`${vendor} does not speak`)
  const request = { model: "m", input: "Hello", voice: "v", form: "pcm" } as const
  const { delivery } = format.encode({ ...request, events: false, needsTokens: false }, "m")
  if (delivery.type !== "json") throw new Error(`${vendor} does not answer in JSON`)
  return delivery.read(body)
}

function isRejected(vendor: string, body: JsonObject): boolean {
  try {
    spoken(vendor, body)
    return false
  } catch (error) {
    return asGatewayError(error).kind === "upstream_error"
  }
}

const base64 = (...bytes: number[]) => Buffer.from(bytes).toString("base64")

describe("the Gemini speech decoder", () => {
  const response = (parts: JsonObject[], usageMetadata: JsonObject = {}) => ({
    candidates: [{ content: { parts } }],
    usageMetadata,
  })

  test("joins the audio of all parts at the vendor's sample rate", () => {
    const mimeType = "audio/L16;codec=pcm;rate=16000"
    const parts = [
      { inlineData: { mimeType, data: base64(1, 2) } },
      { text: "no sound" },
      { inlineData: { mimeType, data: base64(3, 4) } },
    ]
    const usage = { promptTokenCount: 6, candidatesTokenCount: 50 }
    expect(spoken("google", response(parts, usage))).toEqual({
      sound: Uint8Array.of(1, 2, 3, 4),
      rate: 16_000,
      usage: { ...NO_USAGE, inputFresh: 6, audioOutput: 50 },
    })
  })

  test("accepts a response without a sample rate and without usage", () => {
    const said = spoken("google", response([{ inlineData: { data: base64(1) } }]))
    expect(said).toEqual({ sound: Uint8Array.of(1), rate: 24_000 })
  })

  test("rejects a response without audio", () => {
    expect(isRejected("google", response([{ text: "I would rather not." }]))).toBe(true)
    expect(isRejected("google", { candidates: [{ finishReason: "SAFETY" }] })).toBe(true)
    expect(isRejected("google", {})).toBe(true)
  })
})

test("the speech decoder reads audio in Mistral's format", () => {
  expect(spoken("mistral", { audio_data: base64(5, 6) })).toEqual({ sound: Uint8Array.of(5, 6) })
  expect(isRejected("mistral", { audio: base64(5) })).toBe(true)
})
