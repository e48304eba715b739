import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  caller,
  errorOf,
  form,
  gateway,
  LIMIT,
  setUp,
  SOUND,
  speak,
  tearDown,
  untouched,
  upload,
} from "./audio-world.ts"

beforeAll(setUp)
afterAll(tearDown)

describe("upload validation", () => {
  const whisper = { model: "sim/whisper-1" }
  const cases: readonly [name: string, send: () => Promise<Response>, expected: object][] = [
    [
      "25 MB and a byte",
      () => upload(form(whisper, new Uint8Array(LIMIT + 1))),
      { status: 413, code: "file_too_large", param: "file" },
    ],
    [
      "40 MB",
      () => upload(form(whisper, new Uint8Array(40 * 1024 * 1024))),
      { status: 413, code: "file_too_large", param: "file" },
    ],
    [
      "text named .mp3",
      () => upload(form(whisper, "This is text.".repeat(1_000))),
      { status: 400, code: "invalid_audio", param: "file" },
    ],
    ["an empty file", () => upload(form(whisper, "")), { status: 400, code: "invalid_audio" }],
    [
      "no file",
      () => upload(form(whisper)),
      { status: 400, code: "missing_required_parameter", param: "file" },
    ],
    [
      "two files",
      () => upload(form(whisper, SOUND, SOUND)),
      { status: 400, code: "invalid_value", param: "file" },
    ],
    [
      "no model",
      () => upload(form({}, SOUND)),
      { status: 400, code: "missing_required_parameter", param: "model" },
    ],
    [
      "an unknown model",
      () => upload(form({ model: "sim/nothing" }, SOUND)),
      { status: 404, code: "model_not_found", param: "model" },
    ],
    [
      "a model of another kind",
      () => upload(form({ model: "sim/tts-1" }, SOUND)),
      { status: 400, code: "model_not_supported", param: "model" },
    ],
    [
      "temperature above 1",
      () => upload(form({ ...whisper, temperature: "1.01" }, SOUND)),
      { status: 400, code: "above_max_value", param: "temperature" },
    ],
    [
      "temperature below 0",
      () => upload(form({ ...whisper, temperature: "-0.1" }, SOUND)),
      { status: 400, code: "below_min_value", param: "temperature" },
    ],
    [
      "temperature other than a number",
      () => upload(form({ ...whisper, temperature: "warm" }, SOUND)),
      { status: 400, code: "invalid_type", param: "temperature" },
    ],
    [
      "an unknown format",
      () => upload(form({ ...whisper, response_format: "xml" }, SOUND)),
      { status: 400, code: "invalid_value", param: "response_format" },
    ],
    [
      "a language by its name",
      () => upload(form({ ...whisper, language: "english" }, SOUND)),
      { status: 400, code: "invalid_value", param: "language" },
    ],
    [
      "times without verbose_json",
      () => upload(form({ ...whisper, "timestamp_granularities[]": "word" }, SOUND)),
      { status: 400, code: "invalid_value", param: "timestamp_granularities" },
    ],
    [
      "JSON in place of a form",
      () => caller.post("/v1/audio/transcriptions", whisper),
      { status: 415, code: "unsupported_media_type" },
    ],
  ]
  for (const [name, send, expected] of cases) {
    test(`rejects ${name}`, async () => {
      expect(await errorOf(await untouched(send))).toMatchObject(expected)
    })
  }

  test("rejects an unknown key before reading the body", async () => {
    const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      body: form(whisper, SOUND),
    })
    expect(response.status).toBe(401)
    await response.body?.cancel()
  })
})

describe("speech request validation", () => {
  const cases: readonly [name: string, body: object, expected: object][] = [
    ["no input", {}, { code: "missing_required_parameter", param: "input" }],
    ["empty input", { input: "" }, { code: "invalid_value", param: "input" }],
    [
      "no voice",
      { input: "x", voice: null },
      { code: "missing_required_parameter", param: "voice" },
    ],
    [
      "4,097 characters",
      { input: "é".repeat(4_097) },
      { code: "string_above_max_length", param: "input" },
    ],
    ["speed 0.24", { input: "x", speed: 0.24 }, { code: "below_min_value", param: "speed" }],
    ["speed 4.01", { input: "x", speed: 4.01 }, { code: "above_max_value", param: "speed" }],
    [
      "an unknown format",
      { input: "x", response_format: "ogg" },
      { code: "invalid_value", param: "response_format" },
    ],
    ["input other than text", { input: 7 }, { code: "invalid_type", param: "input" }],
    [
      "a format that the model does not support",
      { model: "groq/orpheus", input: "x" },
      { code: "invalid_value", param: "response_format" },
    ],
  ]
  for (const [name, body, expected] of cases) {
    test(`rejects ${name}`, async () => {
      const response = await untouched(() => speak(body))
      expect(await errorOf(response)).toMatchObject({ status: 400, ...expected })
    })
  }

  test("returns an error if the vendor rejects the voice", async () => {
    const response = await untouched(() => speak({ input: "x", voice: "nobody" }), true)
    const error = await errorOf(response)
    expect(error).toMatchObject({ status: 400, code: "invalid_value", param: "voice" })
    expect(error.message).toStartWith("Input should be 'alloy'")
  })

  test("lists the model's formats in the error", async () => {
    const { message } = await errorOf(await speak({ model: "groq/orpheus", input: "x" }))
    expect(message).toContain("'wav', 'pcm'")
  })

  test("accepts 4,096 characters, and the minimum and maximum speeds", async () => {
    for (const body of [
      { input: "é".repeat(4_096), speed: 4 },
      { input: "x", speed: 0.25 },
    ]) {
      const response = await speak(body)
      expect(response.status).toBe(200)
      await response.bytes()
    }
  })
})
