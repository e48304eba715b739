import { createOpenAI } from "@ai-sdk/openai"
import { generateSpeech, transcribe } from "ai"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type OpenAI, toFile } from "openai"
import { audioModels, heardIn, wave } from "../support/audio.ts"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller
let client: OpenAI

beforeAll(async () => {
  gateway = await startGateway(audioModels())
  caller = await gateway.caller("10")
  client = caller.client
})

afterAll(() => gateway[Symbol.asyncDispose]())

const SOUND = wave(3)
const sound = () => toFile(SOUND, "speech.wav", { type: "audio/wav" })

describe("OpenAI's client", () => {
  test("transcribes audio", async () => {
    const before = await caller.balance()
    const { data, response } = await client.audio.transcriptions
      .create({ file: await sound(), model: "sim/whisper-1", language: "en", temperature: 0.2 })
      .withResponse()
    expect(data.text).toBe(heardIn(SOUND))
    expect(data.usage).toEqual({ type: "duration", seconds: 3 })
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(response.headers.get("x-tollgate-cost")).toBe("0.0003")
    expect(before - (await caller.balance())).toBe(300_000n)
  })

  test("gets a transcript in each response format", async () => {
    const create = async (response_format: "text" | "srt" | "vtt", model = "sim/whisper-1") =>
      client.audio.transcriptions.create({ file: await sound(), model, response_format })
    const [first, second] = heardIn(SOUND).split(/(?<=\.) /)
    expect(await create("text")).toBe(heardIn(SOUND))
    expect(await create("srt")).toBe(
      `1\n00:00:00,000 --> 00:00:01,667\n${first}\n\n2\n00:00:01,667 --> 00:00:03,000\n${second}\n\n`,
    )
    expect(await create("vtt")).toBe(
      `WEBVTT\n\n00:00:00.000 --> 00:00:01.667\n${first}\n\n00:00:01.667 --> 00:00:03.000\n${second}\n\n`,
    )
    // The model does not report times, so a single cue covers the whole audio.
    expect(await create("srt", "openai/gpt-4o-transcribe")).toBe(
      `1\n00:00:00,000 --> 00:00:03,000\n${heardIn(SOUND)}\n\n`,
    )
  })

  test("gets a verbose transcript with word and segment timestamps", async () => {
    const verbose = await client.audio.transcriptions.create({
      file: await sound(),
      model: "sim/whisper-1",
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    })
    expect(verbose.duration).toBe(3)
    expect(verbose.language).toBe("english")
    expect(verbose.words?.length).toBe(9)
    expect(verbose.segments?.length).toBe(2)
  })

  test("gets speaker labels from a model that distinguishes speakers", async () => {
    const transcript = await client.audio.transcriptions.create({
      file: await sound(),
      model: "openai/gpt-4o-transcribe-diarize",
      response_format: "diarized_json",
      chunking_strategy: "auto",
    })
    expect(transcript).toMatchObject({ segments: [{ speaker: "A" }, { speaker: "B" }] })
  })

  test("reads a stream, even from a model that does not stream", async () => {
    for (const model of ["openai/gpt-4o-transcribe", "sim/whisper-1"]) {
      const stream = await client.audio.transcriptions.create({
        file: await sound(),
        model,
        stream: true,
      })
      let text = ""
      let last = ""
      for await (const event of stream) {
        if (event.type === "transcript.text.delta") text += event.delta
        if (event.type === "transcript.text.done") last = event.text
      }
      expect(text).toBe(heardIn(SOUND))
      expect(last).toBe(text)
    }
  })

  test("translates audio", async () => {
    const { text } = await client.audio.translations.create({
      file: await sound(),
      model: "sim/whisper-1",
    })
    expect(text).toStartWith("In English, a sound of")
  })

  test("creates speech in all six formats", async () => {
    const types = {
      mp3: ["audio/mpeg", [0xff, 0xfb]],
      opus: ["audio/ogg", [...Buffer.from("OggS")]],
      aac: ["audio/aac", [0xff, 0xf1]],
      flac: ["audio/flac", [...Buffer.from("fLaC")]],
      wav: ["audio/wav", [...Buffer.from("RIFF")]],
      pcm: ["audio/pcm", [0, 0]],
    } as const
    for (const [form, [type, start]] of Object.entries(types)) {
      const before = await caller.balance()
      const response = await client.audio.speech.create({
        model: "sim/tts-1",
        voice: "alloy",
        input: "Hello world",
        response_format: form as keyof typeof types,
      })
      const bytes = await response.bytes()
      expect(response.headers.get("content-type")).toBe(type)
      expect([...bytes.subarray(0, start.length)]).toEqual([...start])
      // 11 characters at 15 credits per million.
      expect(before - (await caller.balance())).toBe(165_000n)
    }
  })

  test("reads speech as events", async () => {
    const response = await client.audio.speech.create({
      model: "openai/gpt-4o-mini-tts",
      voice: "alloy",
      input: "Hello world",
      response_format: "pcm",
      stream_format: "sse",
    })
    const events = (await response.text())
      .split("\n\n")
      .filter(Boolean)
      .map((event) => JSON.parse(event.slice("data: ".length)))
    const { type, usage } = events.at(-1)
    expect(type).toBe("speech.audio.done")
    expect(usage).toEqual({ input_tokens: 4, output_tokens: 14, total_tokens: 18 })
    const sound = events.slice(0, -1).map(({ audio }) => Buffer.from(audio, "base64"))
    expect(Buffer.concat(sound).length).toBe(0.66 * 48_000)
  })
})

describe("the AI SDK for audio", () => {
  const openai = () => createOpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1` })

  test("transcribes audio", async () => {
    const result = await transcribe({
      model: openai().transcription("sim/whisper-1"),
      audio: SOUND,
      providerOptions: { openai: { responseFormat: "verbose_json" } },
    })
    expect(result.text).toBe(heardIn(SOUND))
    expect(result.durationInSeconds).toBe(3)
    expect(result.segments.length).toBe(2)
  })

  test("transcribes audio with a model that reports no timestamps", async () => {
    const result = await transcribe({
      model: openai().transcription("openai/gpt-4o-transcribe"),
      audio: SOUND,
    })
    expect(result.text).toBe(heardIn(SOUND))
  })

  test("creates speech from a text", async () => {
    const { audio } = await generateSpeech({
      model: openai().speech("sim/tts-1"),
      text: "Hello world",
      voice: "nova",
      outputFormat: "wav",
    })
    expect(audio.mediaType).toBe("audio/wav")
    expect(audio.uint8Array.length).toBe(44 + 0.66 * 48_000)
  })
})
