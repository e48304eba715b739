import { describe, expect, test } from "bun:test"
import type { OperationCall } from "../../../src/canon/operation.ts"
import type { TranscriptionRequest } from "../../../src/canon/transcription.ts"
import { renderTranscript } from "../../../src/dialects/transcription/result.ts"
import { decodeTranscription } from "../../../src/dialects/transcription/request.ts"
import { vendors } from "../../../src/vendors/index.ts"
import { responseOf, transcriptionOf } from "../../support/audio-request.ts"

async function encoded(vendor: string, model: string, parts: Partial<TranscriptionRequest>) {
  const format = vendors.get(vendor)?.operations?.transcription
  if (!format) throw new Error(`${vendor} does not transcribe`)
  const { calls, losses } = await format.encode(transcriptionOf(parts), model)
  const [call] = calls
  if (!call) throw new Error("no call")
  return { call, losses: losses.map(({ name, effect }) => `${name}:${effect}`) }
}

/** Returns the fields of a form as the vendor would read them. */
async function fieldsOf({ body, headers }: OperationCall): Promise<Record<string, string>> {
  if (body.type !== "bytes" || typeof body.bytes !== "function") throw new Error("no form")
  const bytes = await new Response(body.bytes()).bytes()
  expect(Buffer.from(bytes).toString("latin1")).toContain("content-type: audio/wav\r\n")
  expect(headers?.["content-length"]).toBe(String(bytes.length))
  const form = await new Response(bytes, {
    headers: { "content-type": body.contentType },
  }).formData()
  const entries = [...form] as unknown as [string, string | File][]
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === "string" ? value : `${value.name} ${value.size}`,
    ]),
  )
}

const FILE = "audio.wav 3244"

describe("the transcription format of a vendor", () => {
  test("requests timestamps from OpenAI's whisper if needed", async () => {
    const { call, losses } = await encoded("openai", "whisper-1", {
      form: "srt",
      language: "de",
      prompt: "Namen",
      temperature: 0.3,
    })
    expect(call.path).toBe("/audio/transcriptions")
    expect(await fieldsOf(call)).toEqual({
      model: "whisper-1",
      response_format: "verbose_json",
      language: "de",
      prompt: "Namen",
      temperature: "0.3",
      file: FILE,
    })
    expect(losses).toEqual([])
  })

  test("requests verbose_json from Whisper models, regardless of the caller's format", async () => {
    for (const form of ["json", "text"] as const) {
      for (const vendor of ["groq", "openai", "openai-compatible", "deepinfra"]) {
        const { call } = await encoded(vendor, "openai/whisper-large-v3", {
          form,
          granularities: ["word"],
        })
        expect(await fieldsOf(call)).toEqual({
          model: "openai/whisper-large-v3",
          response_format: "verbose_json",
          file: FILE,
        })
      }
    }
  })

  test("requests json from models without known support for verbose_json", async () => {
    for (const [vendor, model] of [
      ["openai-compatible", "parakeet"],
      ["openai", "gpt-4o-transcribe"],
      // The JSON response of this vendor reports the duration in seconds.
      ["openrouter", "openai/whisper-1"],
    ] as const) {
      const { call } = await encoded(vendor, model, { form: "text" })
      expect((await fieldsOf(call)).response_format).toBe("json")
    }
  })

  test("returns only the text of a verbose response if the caller requests json or text", () => {
    const format = vendors.get("groq")?.operations?.transcription
    const response = responseOf({
      task: "transcribe",
      language: "English",
      duration: 60.5,
      text: "Up.",
      segments: [{ id: 0, start: 0, end: 60.5, text: " Up." }],
      x_groq: { id: "req_1" },
    })
    for (const [form, body] of [
      ["json", '{"text":"Up."}'],
      ["text", "Up."],
    ] as const) {
      const request = transcriptionOf({ form })
      const transcript = format?.decode(response, request)
      expect(transcript?.usage).toEqual({ seconds: 60.5 })
      expect(transcript && renderTranscript(transcript, request).body).toBe(body)
    }
  })

  test("encodes a translation", async () => {
    const { call } = await encoded("groq", "whisper-large-v3", { task: "translate" })
    expect(call.path).toBe("/audio/translations")
  })

  test("requests json from OpenAI's newer models, streamed on request", async () => {
    const asked = await encoded("openai", "gpt-4o-mini-transcribe-2025-12-15", {
      form: "json",
      stream: true,
      extra: { include: ["logprobs"], chunking_strategy: "auto" },
    })
    expect(await fieldsOf(asked.call)).toMatchObject({
      response_format: "json",
      stream: "true",
      "include[]": "logprobs",
      chunking_strategy: "auto",
    })
    const timed = await encoded("openai", "gpt-4o-transcribe", { form: "vtt" })
    expect(timed.losses).toEqual(["timestamps:approximated"])
    await expect(encoded("openai", "gpt-4o-transcribe", { task: "translate" })).rejects.toThrow(
      "transcribes but does not translate",
    )
  })

  test("requests diarized_json from a model that distinguishes speakers", async () => {
    const { call, losses } = await encoded("openai", "gpt-4o-transcribe-diarize", { form: "srt" })
    expect((await fieldsOf(call)).response_format).toBe("diarized_json")
    expect(losses).toEqual([])
  })

  test("sends Mistral the language, but drops the language if it requests timestamps", async () => {
    const plain = await encoded("mistral", "voxtral", { language: "de" })
    expect(await fieldsOf(plain.call)).toEqual({ model: "voxtral", language: "de", file: FILE })
    const timed = await encoded("mistral", "voxtral", { language: "de", form: "srt", prompt: "x" })
    expect(await fieldsOf(timed.call)).toEqual({
      model: "voxtral",
      "timestamp_granularities[]": "segment",
      file: FILE,
    })
    expect(timed.losses).toEqual(["language:dropped", "prompt:dropped"])
  })

  test("matches recordings of Deepgram", async () => {
    const { call } = await encoded("deepgram", "nova-3-general", { language: "en" })
    expect(call.path).toBe(
      "/v1/listen?model=nova-3-general&smart_format=true&utterances=true&language=en",
    )
    expect(call.body).toMatchObject({ contentType: "audio/wav" })
  })

  test("uses the field names of ElevenLabs and xAI", async () => {
    const eleven = await encoded("elevenlabs", "scribe_v2", { form: "diarized_json" })
    expect(await fieldsOf(eleven.call)).toMatchObject({ model_id: "scribe_v2", diarize: "true" })
    const xai = await encoded("xai", "grok-stt", {})
    expect(xai.call.path).toBe("/stt")
    expect(await fieldsOf(xai.call)).toEqual({ file: FILE })
  })

  test("sends Cohere a language, which it requires", async () => {
    const plain = await encoded("cohere", "transcribe", { language: "de", temperature: 0.2 })
    expect(plain.call.path).toBe("/v2/audio/transcriptions")
    const fields = await fieldsOf(plain.call)
    expect(fields).toEqual({ model: "transcribe", language: "de", temperature: "0.2", file: FILE })
    expect(Object.keys(fields).at(-1)).toBe("file")
    expect(plain.losses).toEqual([])
    const assumed = await encoded("cohere", "transcribe", { form: "srt", prompt: "Names" })
    expect((await fieldsOf(assumed.call)).language).toBe("en")
    expect(assumed.losses).toEqual([
      "prompt:dropped",
      "language:approximated",
      "timestamps:approximated",
    ])
    await expect(encoded("cohere", "transcribe", { task: "translate" })).rejects.toThrow(
      "transcribes but does not translate",
    )
  })

  test("sends Gemini a text instruction", async () => {
    const { call, losses } = await encoded("google", "gemini-2.5-flash", { language: "de" })
    expect(call.path).toBe("/v1beta/models/gemini-2.5-flash:generateContent")
    expect(JSON.stringify(call.body)).toContain("The language is german.")
    expect(losses).toEqual(["transcription:approximated"])
  })

  test("returns the vendors' own messages for rejected requests", () => {
    const rejection = (vendor: string, status: number, body: object) =>
      vendors.get(vendor)?.operations?.transcription?.decodeError(status, body, new Headers())
    expect(
      rejection("deepgram", 400, { err_code: "Bad Request", err_msg: "corrupt data" }),
    ).toMatchObject({
      kind: "rejected_by_upstream",
      message: "corrupt data",
    })
    expect(
      rejection("elevenlabs", 401, { detail: { status: "quota_exceeded", message: "x" } }),
    ).toMatchObject({
      kind: "upstream_error",
    })
    expect(
      rejection("elevenlabs", 400, { detail: { status: "bad", message: "too long" } })?.message,
    ).toBe("too long")
  })
})

describe("the subtitle encoder", () => {
  const transcript = {
    text: "One. Two.",
    segments: [
      { start: 0, end: 3_661.5, text: " One.\n\n" },
      { start: 3_661.5, end: 3_700, text: "Two --> three." },
    ],
    usage: {},
  }

  test("writes hours, and changes text that would otherwise end a cue", () => {
    const srt = renderTranscript(transcript, transcriptionOf({ form: "srt" }))
    expect(srt.body).toBe(
      "1\n00:00:00,000 --> 01:01:01,500\nOne.\n\n2\n01:01:01,500 --> 01:01:40,000\nTwo --> three.\n\n",
    )
    const vtt = renderTranscript(transcript, transcriptionOf({ form: "vtt" }))
    expect(vtt.body).toContain("01:01:01.500 --> 01:01:40.000\nTwo -> three.\n\n")
    expect(vtt.contentType).toBe("text/plain; charset=utf-8")
  })

  test("writes subtitles for a transcript without speech", () => {
    const silence = { text: "", usage: {} }
    expect(renderTranscript(silence, transcriptionOf({ form: "srt" })).body).toBe("")
    expect(renderTranscript(silence, transcriptionOf({ form: "vtt" })).body).toBe("WEBVTT\n\n")
  })

  test("uses English names for languages", () => {
    const request = transcriptionOf({ form: "verbose_json" })
    for (const [code, name] of [
      ["de", "german"],
      ["eng", "english"],
      ["English", "english"],
      ["pt-BR", "brazilian portuguese"],
    ] as const) {
      const { body } = renderTranscript({ ...transcript, language: code }, request)
      expect(JSON.parse(body).language).toBe(name)
    }
  })
})

test("a stream option is ignored for a transcript format that cannot be streamed", () => {
  expect(
    decodeTranscription({ model: "x", stream: true, response_format: "srt" }, "transcribe").stream,
  ).toBe(false)
  expect(decodeTranscription({ model: "x", stream: true }, "transcribe").stream).toBe(true)
})
