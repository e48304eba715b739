import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { audioModels, heardIn, wave } from "../support/audio.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { until } from "../support/until.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway(audioModels())
  caller = await gateway.caller("10")
})

afterAll(() => gateway[Symbol.asyncDispose]())

const SOUND = wave(3)
const LIMIT = 25 * 1024 * 1024

type Fields = Readonly<Record<string, string>>

function form(fields: Fields, ...files: readonly (Uint8Array<ArrayBuffer> | string)[]): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  for (const file of files) data.append("file", new File([file], "speech.mp3"))
  return data
}

function upload(body: FormData, path = "transcriptions", headers: Fields = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/audio/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}`, ...headers },
    body,
  })
}

const speak = (body: object, headers: Fields = {}): Promise<Response> =>
  caller.post("/v1/audio/speech", { model: "sim/tts-1", voice: "alloy", ...body }, headers)

/** Nothing is held, nothing was charged, nothing was asked of the vendor, no file is left. */
async function untouched(refuse: () => Promise<Response>, isCalled = false): Promise<Response> {
  const before = await caller.balance()
  const requests = gateway.simulator.requests.length
  const response = await refuse()
  await nothingHeld()
  expect(await caller.balance()).toBe(before)
  if (!isCalled) expect(gateway.simulator.requests.length).toBe(requests)
  expect(readdirSync(join(gateway.settings.data, "uploads"))).toEqual([])
  return response
}

async function nothingHeld(): Promise<void> {
  await until(async () => {
    const response = await caller.get("/v1/credits")
    const credits = (await response.json()) as { available: string; balance: string }
    return credits.available === credits.balance
  })
}

/** The receipt of an answer, once it is written. */
async function receiptOf(response: Response): Promise<Receipt> {
  const id = response.headers.get("x-request-id") ?? ""
  return (await (await caller.get(`/v1/receipts/${id}`)).json()) as Receipt
}

interface Receipt {
  readonly status: string
  readonly estimated: boolean
  readonly usage: Readonly<Record<string, number>>
}

interface TranscriptBody {
  readonly text: string
  readonly task: string
  readonly duration: number
  readonly segments: readonly { readonly speaker?: string }[]
}

async function transcriptOf(response: Response): Promise<TranscriptBody> {
  return (await response.json()) as TranscriptBody
}

interface ErrorBody {
  readonly error: { readonly code: string; readonly param: string; readonly message: string }
}

async function errorOf(response: Response) {
  const { error } = (await response.json()) as ErrorBody
  return { status: response.status, code: error.code, param: error.param, message: error.message }
}

describe("uploads that are refused", () => {
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
      "temperature that is no number",
      () => upload(form({ ...whisper, temperature: "warm" }, SOUND)),
      { status: 400, code: "invalid_type", param: "temperature" },
    ],
    [
      "an unknown form",
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
    test(name, async () => {
      expect(await errorOf(await untouched(send))).toMatchObject(expected)
    })
  }

  test("a credential that is unknown, before anything is read", async () => {
    const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      body: form(whisper, SOUND),
    })
    expect(response.status).toBe(401)
    await response.body?.cancel()
  })
})

describe("speech that is refused", () => {
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
      "an unknown form",
      { input: "x", response_format: "ogg" },
      { code: "invalid_value", param: "response_format" },
    ],
    ["input that is no text", { input: 7 }, { code: "invalid_type", param: "input" }],
    [
      "a form that the model has not",
      { model: "groq/orpheus", input: "x" },
      { code: "invalid_value", param: "response_format" },
    ],
  ]
  for (const [name, body, expected] of cases) {
    test(name, async () => {
      const response = await untouched(() => speak(body))
      expect(await errorOf(response)).toMatchObject({ status: 400, ...expected })
    })
  }

  test("a voice that the vendor refuses", async () => {
    const response = await untouched(() => speak({ input: "x", voice: "nobody" }), true)
    const error = await errorOf(response)
    expect(error).toMatchObject({ status: 400, code: "invalid_value", param: "voice" })
    expect(error.message).toStartWith("Input should be 'alloy'")
  })

  test("the forms that the model has are named", async () => {
    const { message } = await errorOf(await speak({ model: "groq/orpheus", input: "x" }))
    expect(message).toContain("'wav', 'pcm'")
  })

  test("4,096 characters are taken, and the shortest and longest speeds", async () => {
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

describe("a model whose entry says how long its texts may be", () => {
  test("takes them up to there", async () => {
    for (const [model, length] of [
      ["sim/tts-long", 10_000],
      ["sim/tts-short", 20],
    ] as const) {
      const taken = await speak({ model, input: "é".repeat(length), response_format: "opus" })
      expect(taken.status).toBe(200)
      await taken.bytes()
      const refused = await untouched(() => speak({ model, input: "é".repeat(length + 1) }))
      expect(await errorOf(refused)).toMatchObject({
        status: 400,
        code: "string_above_max_length",
        param: "input",
        message: expect.stringContaining(`maximum length ${length},`),
      })
    }
  })

  test("is listed with it", async () => {
    const entry = (await (await caller.get("/v1/models/sim/tts-long")).json()) as object
    expect(entry).toMatchObject({ max_input_characters: 10_000 })
  })
})

describe("every vendor's transcription", () => {
  const models = {
    "groq/whisper-large-v3": "",
    "mistral/voxtral-mini": "",
    "xai/grok-stt": "",
    "cohere/transcribe": "",
    "deepgram/nova-3": "",
    "elevenlabs/scribe_v2": "",
    "google/gemini-listen": "transcription:approximated",
  }
  for (const [model, losses] of Object.entries(models)) {
    test(model, async () => {
      const response = await upload(form({ model, language: "en" }, SOUND))
      expect((await transcriptOf(response)).text).toBe(heardIn(SOUND))
      expect(response.headers.get("x-tollgate-losses") ?? "").toBe(losses)
      const { usage } = await receiptOf(response)
      // Mistral counts whole seconds, ElevenLabs none: then it is our own measure.
      expect(usage.second).toBe(3)

      const subtitles = await upload(form({ model, response_format: "srt" }, SOUND))
      expect(subtitles.headers.get("content-type")).toBe("text/plain; charset=utf-8")
      expect(await subtitles.text()).toStartWith("1\n00:00:00,000 --> 00:00:0")

      const verbose = await upload(form({ model, response_format: "verbose_json" }, SOUND))
      const { segments, duration, task } = await transcriptOf(verbose)
      expect(duration).toBe(3)
      expect(task).toBe("transcribe")
      expect(Object.keys(segments[0] ?? {})).toEqual([
        "id",
        "seek",
        "start",
        "end",
        "text",
        "tokens",
        "temperature",
        "avg_logprob",
        "compression_ratio",
        "no_speech_prob",
      ])
    })
  }

  test("speakers, where the vendor can tell them", async () => {
    for (const model of ["mistral/voxtral-mini", "deepgram/nova-3"]) {
      const response = await upload(form({ model, response_format: "diarized_json" }, SOUND))
      const { segments } = await transcriptOf(response)
      expect(new Set(segments.map((segment) => segment.speaker)).size).toBe(2)
    }
  })

  test("what cannot be told is refused when nothing may be lost", async () => {
    const model = "deepgram/nova-3"
    const body = form({ model, prompt: "Names" }, SOUND)
    const response = await untouched(() =>
      upload(body, "transcriptions", { "x-tollgate-strict": "true" }),
    )
    expect(await errorOf(response)).toMatchObject({ status: 400, code: "not_carried" })
    const lenient = await upload(form({ model, prompt: "Names" }, SOUND))
    expect(lenient.headers.get("x-tollgate-losses")).toBe("prompt:dropped")
    await lenient.body?.cancel()
  })
})

describe("every vendor's speech", () => {
  const voices = {
    "mistral/voxtral-mini-tts": "en_paul_neutral",
    "xai/grok-tts": "eve",
    "deepgram/aura-2-thalia-en": "thalia",
    "elevenlabs/eleven_v3": "JBFqnCBsd6RMkjVDRZzb",
    "google/gemini-tts": "Kore",
    "groq/orpheus": "troy",
  }
  for (const [model, voice] of Object.entries(voices)) {
    test(model, async () => {
      const body = { model, voice, input: "Hello world" }
      const pcm = await speak({ ...body, response_format: "pcm" })
      expect(pcm.headers.get("content-type")).toBe("audio/pcm")
      const samples = await pcm.bytes()
      expect(samples.length).toBe(0.66 * 48_000)
      const wav = await (await speak({ ...body, response_format: "wav" })).bytes()
      expect(Buffer.from(wav.subarray(0, 4)).toString()).toBe("RIFF")
      expect(Buffer.from(wav.subarray(44))).toEqual(Buffer.from(samples))
      const { usage } = await receiptOf(pcm)
      expect(usage.character).toBe(11)
    })
  }

  test("a WAV file that came whole says how long it is", async () => {
    const body = { model: "google/gemini-tts", voice: "Kore", input: "Hi", response_format: "wav" }
    const wav = Buffer.from(await (await speak(body)).bytes())
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44)
  })

  test("tokens are what the vendor told", async () => {
    const body = {
      model: "google/gemini-tts",
      voice: "Kore",
      input: "Hello world",
      response_format: "pcm",
    }
    const response = await speak(body)
    await response.bytes()
    const { usage, estimated } = await receiptOf(response)
    expect(usage).toMatchObject({ audio_output: 17 })
    expect(estimated).toBe(false)
  })
})

describe("an answer that does not come to its end", () => {
  const input = "word ".repeat(400)

  test("sound that breaks off is an error, and what came is charged", async () => {
    const before = await caller.balance()
    const cut = await speak({ model: "sim/fault-cut", input, response_format: "pcm" })
    expect(cut.status).toBe(200)
    await expect(cut.bytes()).rejects.toThrow()
    await nothingHeld()
    const { usage, status } = await receiptOf(cut)
    expect(status).toBe("settled")
    expect(usage.character).toBeGreaterThan(0)
    expect(usage.character).toBeLessThan(2_000)
    expect(await caller.balance()).toBeLessThan(before)
  })

  test("sound within events that breaks off ends with an error event", async () => {
    const response = await speak({ model: "sim/fault-cut", input, stream_format: "sse" })
    const text = await response.text()
    expect(text).toContain('data: {"error":{"message":')
    expect(text).not.toContain("speech.audio.done")
    await nothingHeld()
  })

  test("a caller who leaves pays for what they had spoken", async () => {
    const leaving = new AbortController()
    const response = await fetch(`${gateway.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "sim/fault-stall",
        voice: "alloy",
        input,
        response_format: "pcm",
      }),
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    leaving.abort()
    await until(() => gateway.simulator.open === 0)
    await nothingHeld()
    const { usage, status } = await receiptOf(response)
    expect(status).toBe("settled")
    expect(usage.character).toBe(2_000)
  })

  test("a vendor who fails before the first byte costs nothing", async () => {
    for (const model of ["sim/fault-500", "sim/fault-empty"]) {
      const response = await untouched(() => speak({ model, input: "x" }), true)
      expect(response.status).toBe(502)
    }
  })

  test("a stream of text that breaks off ends with an error event", async () => {
    const response = await upload(form({ model: "openai/gpt-4o-cut", stream: "true" }, SOUND))
    const text = await response.text()
    expect(text).toContain("transcript.text.delta")
    expect(text).toContain('data: {"error":{"message":')
    expect(text).not.toContain("transcript.text.done")
    await nothingHeld()
    expect((await receiptOf(response)).status).toBe("settled")
  })
})

test("a header that lies does not change the bill", async () => {
  const lying = wave(60)
  // It says that there are 10 samples.
  new DataView(lying.buffer).setUint32(40, 20, true)
  const response = await upload(form({ model: "elevenlabs/scribe_v2" }, lying))
  await response.body?.cancel()
  expect((await receiptOf(response)).usage.second).toBe(60)
})

test("too little money for the sound is refused before the vendor is asked", async () => {
  const poor = await gateway.caller("0.00001")
  const requests = gateway.simulator.requests.length
  const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${poor.key}` },
    body: form({ model: "sim/whisper-1" }, SOUND),
  })
  expect(await errorOf(response)).toMatchObject({ status: 402, code: "insufficient_credits" })
  expect(gateway.simulator.requests.length).toBe(requests)
})

test("a vendor who refuses before they have read the upload leaves nothing behind", async () => {
  const hasty = Bun.serve({
    port: 0,
    fetch: () => Response.json({ error: { message: "No.", code: "no" } }, { status: 400 }),
  })
  const options = audioModels()
  await using other = await startGateway({
    ...options,
    providersAt: (url) => ({
      ...options.providersAt?.(url),
      sim: provider(`${hasty.url.origin}/v1`),
    }),
  })
  const sender = await other.caller("10")
  const response = await fetch(`${other.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${sender.key}` },
    body: form({ model: "sim/whisper-1" }, wave(600)),
  })
  expect(response.status).toBe(400)
  expect((await errorOf(response)).message).toBe("No.")
  expect(other.heard.filter(({ name }) => name === "requestFailed")).toEqual([])
  await hasty.stop(true)
})
