import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { audioModels, heardIn, wave } from "../../../support/audio.ts"
import { provider, startGateway } from "../../../support/gateway.ts"
import {
  caller,
  errorOf,
  form,
  gateway,
  receiptOf,
  setUp,
  SOUND,
  speak,
  tearDown,
  transcriptOf,
  untouched,
  upload,
} from "./audio-world.ts"

beforeAll(setUp)
afterAll(tearDown)

describe("a speech model with a maximum text length", () => {
  test("accepts text of exactly the maximum length, and rejects longer text", async () => {
    for (const [model, length] of [
      ["sim/tts-long", 10_000],
      ["sim/tts-short", 20],
    ] as const) {
      const taken = await speak({ model, input: "é".repeat(length), response_format: "opus" })
      expect(taken.status).toBe(200)
      await taken.bytes()
      const rejected = await untouched(() => speak({ model, input: "é".repeat(length + 1) }))
      expect(await errorOf(rejected)).toMatchObject({
        status: 400,
        code: "string_above_max_length",
        param: "input",
        message: expect.stringContaining(`maximum length ${length},`),
      })
    }
  })

  test("shows the maximum in the model list", async () => {
    const entry = (await (await caller.get("/v1/models/sim/tts-long")).json()) as object
    expect(entry).toMatchObject({ max_input_characters: 10_000 })
  })
})

describe("transcription by every vendor", () => {
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
    test(`returns a transcript that is charged: ${model}`, async () => {
      const response = await upload(form({ model, language: "en" }, SOUND))
      expect((await transcriptOf(response)).text).toBe(heardIn(SOUND))
      expect(response.headers.get("x-tollgate-losses") ?? "").toBe(losses)
      const { usage } = await receiptOf(response)
      // Mistral counts whole seconds. ElevenLabs reports no duration, so the gateway measures it.
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

  test("reports speakers if the vendor reports them", async () => {
    const fields = { model: "mistral/voxtral-mini", response_format: "diarized_json" }
    const { segments } = await transcriptOf(await upload(form(fields, SOUND)))
    expect(new Set(segments.map((segment) => segment.speaker)).size).toBe(2)
  })

  test("rejects a request for speakers at Deepgram, which bills the detection of speakers separately", async () => {
    const body = form({ model: "deepgram/nova-3", response_format: "diarized_json" }, SOUND)
    const response = await untouched(() => upload(body))
    const error = { status: 400, code: "feature_not_priced", param: "response_format" }
    expect(await errorOf(response)).toMatchObject(error)
  })

  test("rejects unsupported fields if the caller is strict", async () => {
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

describe("speech of every vendor", () => {
  const voices = {
    "mistral/voxtral-mini-tts": "en_paul_neutral",
    "xai/grok-tts": "eve",
    "deepgram/aura-2-thalia-en": "thalia",
    "elevenlabs/eleven_v3": "JBFqnCBsd6RMkjVDRZzb",
    "google/gemini-tts": "Kore",
    "groq/orpheus": "troy",
  }
  for (const [model, voice] of Object.entries(voices)) {
    test(`has the requested format, and is charged per character: ${model}`, async () => {
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

  test("has its length in the header if it is a complete WAV file", async () => {
    const body = { model: "google/gemini-tts", voice: "Kore", input: "Hi", response_format: "wav" }
    const wav = Buffer.from(await (await speak(body)).bytes())
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44)
  })

  test("results in a charge for the tokens that the vendor reports", async () => {
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

test("an incorrect audio header does not change the charge", async () => {
  const lying = wave(60)
  // The header states only 10 samples.
  new DataView(lying.buffer).setUint32(40, 20, true)
  const response = await upload(form({ model: "elevenlabs/scribe_v2" }, lying))
  await response.body?.cancel()
  expect((await receiptOf(response)).usage.second).toBe(60)
})

test("audio is rejected before the vendor is called if the credits are insufficient", async () => {
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

test("audio that the vendor rejects early leaves no temporary data", async () => {
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
