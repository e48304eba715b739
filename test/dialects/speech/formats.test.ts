import { describe, expect, test } from "bun:test"
import { feeding } from "../../support/event-reading.ts"
import type { SpeechRequest, SoundForm } from "../../../src/canon/speech.ts"
import { SOUND_FORMS } from "../../../src/canon/speech.ts"
import { doneEvent, audioEvent, SpeechEventReader } from "../../../src/dialects/speech/stream.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { unwrapWave, wrapWave } from "../../../src/media/wave.ts"
import { vendors } from "../../../src/vendors/index.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"

function encoded(vendor: string, model: string, parts: Partial<SpeechRequest> = {}) {
  const format = vendors.get(vendor)?.operations?.speech
  if (!format) throw new Error(`${vendor} does not speak`)
  const request: SpeechRequest = {
    model,
    input: "Ruby is a programming language designed for developer happiness.",
    voice: "alloy",
    form: "mp3",
    events: false,
    needsTokens: false,
    ...parts,
  }
  const { losses, ...rest } = format.encode(request, model)
  return { ...rest, losses: losses.map(({ name, effect }) => `${name}:${effect}`) }
}

function jsonOf({ call }: ReturnType<typeof encoded>) {
  return call.body.type === "json" ? call.body.json : undefined
}

const VOICES = { google: "Kore", mistral: "en_paul_neutral" } as Record<string, string>

interface RecordedSpeech {
  readonly file: string
  readonly vendor: string
  readonly model: string
  readonly parts?: Partial<SpeechRequest>
  /** Fields that the gateway sends and the recorded client did not send. */
  readonly beside?: readonly string[]
}

const RECORDED: readonly RecordedSpeech[] = [
  {
    file: "openai-audio/speech-basic-functionality-openai-gpt-4o-mini-tts-can-speak--0",
    vendor: "openai",
    model: "gpt-4o-mini-tts",
    beside: ["response_format"],
  },
  {
    file: "openrouter/speech-basic-functionality-openrouter-hexgrad-kokoro-82m-can-speak--0",
    vendor: "openrouter",
    model: "hexgrad/kokoro-82m",
    parts: { voice: "af_bella" },
  },
  {
    file: "mistral/speech-basic-functionality-mistral-voxtral-mini-tts-latest-can-speak--0",
    vendor: "mistral",
    model: "voxtral-mini-tts-latest",
    beside: ["response_format"],
  },
  {
    file: "xai/speech-basic-functionality-xai-grok-tts-can-speak--0",
    vendor: "xai",
    model: "grok-tts",
    beside: ["voice_id", "output_format"],
  },
  {
    file: "deepgram/providers-deepgram-audio-speaks-text-with-aura-2--0",
    vendor: "deepgram",
    model: "aura-2-thalia-en",
  },
]

describe(`the speech formats compared with recordings${WITHOUT_FIXTURES}`, () => {
  for (const { file, vendor, model, parts, beside = [] } of HAS_FIXTURES ? RECORDED : []) {
    test(`encode the recorded request: ${file}`, () => {
      const { request } = JSON.parse(readFixture(`recorded/${file}.json`))
      const sent = encoded(vendor, model, { voice: VOICES[vendor] ?? "alloy", ...parts })
      const json = { ...jsonOf(sent) }
      for (const name of beside) delete json[name]
      expect(json).toEqual(request.body.json)
      const address = new URL(request.url)
      const path = new URL(sent.call.path, "http://x")
      expect(address.pathname).toEndWith(path.pathname)
      expect(new Map(path.searchParams)).toEqual(new Map(address.searchParams))
    })
  }

  test.if(HAS_FIXTURES)(
    "encode the recorded request to Gemini, and decode the audio samples of its response",
    () => {
      const file =
        "gemini-generatecontent/speech-basic-functionality-gemini-gemini-2-5-flash-preview-tts-can-speak--0"
      const { request, response } = JSON.parse(readFixture(`recorded/${file}.json`))
      const sent = encoded("google", "gemini-2.5-flash-preview-tts", { voice: "Kore", form: "wav" })
      const { model: _, ...body } = request.body.json
      expect(jsonOf(sent)).toEqual(body)
      if (sent.delivery.type !== "json") throw new Error("Gemini answers with JSON")
      const spoken = sent.delivery.read(response.body.json)
      expect(spoken.rate).toBe(24_000)
      expect(spoken.usage).toEqual({ ...NO_USAGE, inputFresh: 11, audioOutput: 111 })
      expect(sent.form).toBe("pcm")
    },
  )

  test.if(HAS_FIXTURES)("decode a recorded JSON response of Mistral", () => {
    const file = "mistral/speech-basic-functionality-mistral-voxtral-mini-tts-latest-can-speak--0"
    const { response } = JSON.parse(readFixture(`recorded/${file}.json`))
    const { delivery } = encoded("mistral", "voxtral-mini-tts-latest")
    if (delivery.type !== "json") throw new Error("Mistral answers with JSON")
    expect(Buffer.from(delivery.read(response.body.json).sound.subarray(0, 3)).toString()).toBe(
      "ID3",
    )
  })
})

test("the speech encoder requests a supported audio format, or rejects the format and lists supported ones", () => {
  const wanted: Record<string, Partial<Record<SoundForm, SoundForm>>> = {
    openai: { mp3: "mp3", opus: "opus", aac: "aac", flac: "flac", wav: "wav", pcm: "pcm" },
    deepgram: { mp3: "mp3", opus: "opus", aac: "aac", flac: "flac", wav: "wav", pcm: "pcm" },
    elevenlabs: { mp3: "mp3", opus: "opus", wav: "pcm", pcm: "pcm" },
    mistral: { mp3: "mp3", opus: "opus", flac: "flac", wav: "wav", pcm: "wav" },
    xai: { mp3: "mp3", wav: "wav", pcm: "pcm" },
    groq: { wav: "wav", pcm: "wav" },
    google: { wav: "pcm", pcm: "pcm" },
    openrouter: { mp3: "mp3", wav: "pcm", pcm: "pcm" },
  }
  for (const [vendor, forms] of Object.entries(wanted)) {
    for (const form of SOUND_FORMS) {
      const asked = forms[form]
      if (asked !== undefined) expect(encoded(vendor, "aura-2-x", { form }).form).toBe(asked)
      else
        expect(() => encoded(vendor, "aura-2-x", { form })).toThrow(`This model has no '${form}'`)
    }
  }
})

test.each([
  ["aura", "aura-2-thalia-en", "aura-2"],
  ["aura-2", "aura-asteria-en", "aura"],
  ["aura-2", "aura-3-zeus-en", "aura-3"],
])(
  "the Deepgram speech encoder for the model %s rejects the voice %s, which belongs to another model",
  (model, voice, other) => {
    expect(() => encoded("deepgram", model, { voice })).toThrow(`a voice of the model '${other}'`)
  },
)

test.each([
  ["aura", "aura-asteria-en", "aura-asteria-en"],
  ["aura-2", "aura-2-zeus-en", "aura-2-zeus-en"],
  ["aura-2", "thalia", "aura-2-thalia-en"],
  ["aura-2-thalia-en", "aura-2-zeus-en", "aura-2-zeus-en"],
  ["aura-asteria-en", "alloy", "aura-asteria-en"],
])(
  "the Deepgram speech encoder for the model %s and the voice %s sends a voice of that model",
  (model, voice, sent) => {
    expect(encoded("deepgram", model, { voice }).call.path).toContain(`?model=${sent}&`)
  },
)

test("the speech encoder reports unsupported fields as lost", () => {
  const options = { speed: 1.2, instructions: "Whisper.", extra: { seed: 1 } }
  expect(encoded("openai", "tts-1", options).losses).toEqual([])
  expect(encoded("xai", "grok-tts", options).losses).toEqual([
    "speed:dropped",
    "instructions:dropped",
    "seed:dropped",
  ])
  expect(encoded("google", "gemini-tts", { ...options, form: "pcm" }).losses).toEqual([
    "speed:dropped",
    "seed:dropped",
    "instructions:approximated",
  ])
  expect(encoded("elevenlabs", "eleven_v3", { speed: 1.2 })).toMatchObject({
    losses: [],
    call: { body: { json: { voice_settings: { speed: 1.2 } } } },
  })
})

test("the speech encoder requests events from OpenAI if the price depends on tokens", () => {
  expect(encoded("openai", "gpt-4o-mini-tts", { needsTokens: true }).delivery.type).toBe("events")
  expect(encoded("openai", "gpt-4o-mini-tts").delivery.type).toBe("sound")
  expect(encoded("openai", "tts-1-hd", { needsTokens: true }).delivery.type).toBe("sound")
})

test("the speech decoder reads events for any split of the bytes", () => {
  const sound = crypto.getRandomValues(new Uint8Array(1_000))
  const used = { ...NO_USAGE, inputFresh: 14, audioOutput: 101 }
  const bytes = Buffer.concat([audioEvent(sound), audioEvent(sound), doneEvent(used)])
  for (const size of [1, 13, 999, bytes.length]) {
    const reader = new SpeechEventReader()
    const feed = feeding(reader)
    const heard: Uint8Array[] = []
    for (let at = 0; at < bytes.length; at += size) {
      heard.push(...feed(bytes.subarray(at, at + size)))
    }
    expect(Buffer.concat(heard)).toEqual(Buffer.concat([sound, sound]))
    expect(reader.isOver).toBe(true)
    expect(reader.usage).toEqual(used)
  }
})

test("the speech converter converts wav to pcm and pcm to wav for any split of the bytes", async () => {
  const samples = crypto.getRandomValues(new Uint8Array(5_000))
  for (const size of [1, 43, 44, 45, 5_000]) {
    const wrapped = await gather(wrapWave(cut(samples, size)))
    expect(wrapped.length).toBe(5_044)
    expect(await gather(unwrapWave(cut(wrapped, size)))).toEqual(Buffer.from(samples))
  }
})

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks))
}
