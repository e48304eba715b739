import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { decoded, failureOf } from "./decoded-response.ts"

/** The tests use responses from the documentation of the vendors. */

describe("transcription answers with status 200", () => {
  const error = { error: { message: "The model is being loaded." } }

  test.each(["openai", "groq", "mistral", "cohere", "xai", "elevenlabs", "deepgram"])(
    "count as failures of %s if they contain an error and no text",
    (vendor) => {
      const { kind, message } = failureOf(() => decoded(vendor, error))
      expect([kind, message]).toEqual([
        "upstream_error",
        "The provider's response cannot be used: it is an error.",
      ])
    },
  )

  test.each(["openai", "groq", "mistral", "cohere", "xai", "elevenlabs"])(
    "count as silence if the text of %s is empty",
    (vendor) => {
      expect(decoded(vendor, { text: "" }).text).toBe("")
    },
  )
})

test("the transcription decoder limits times that are too large", () => {
  const end = 1e308
  const segments = [{ start: 0, end, text: "Up" }]
  const words = [{ word: "Up", start: 0, end }]
  const response = decoded("openai", { text: "Up", segments, words })
  for (const { end: shown } of [...(response.segments ?? []), ...(response.words ?? [])]) {
    expect(shown).toBeLessThan(1e16)
  }
  expect(response.segments).toHaveLength(1)
})

describe("the Deepgram transcription decoder", () => {
  const words = [
    { word: "good", punctuated_word: "Good", start: 0, end: 0.25 },
    { word: "morning", punctuated_word: "morning.", start: 0.25, end: 0.75 },
    { word: "who", punctuated_word: "Who?", start: 1, end: 1.5 },
  ]
  const response = (more: JsonObject, alternative: JsonObject = { words }) => ({
    metadata: { duration: 1.5 },
    results: {
      channels: [
        {
          detected_language: "en",
          alternatives: [{ transcript: "Good morning. Who?", ...alternative }],
        },
      ],
      ...more,
    },
  })

  test("converts utterances to segments and speaker numbers to letters", () => {
    const utterances = [
      { start: 0, end: 0.75, transcript: "Good morning.", speaker: 0 },
      { start: 1, end: 1.25, transcript: "Who?", speaker: 1 },
      { start: 1.25, end: 1.5, speaker: 26 },
      { start: "now", end: 2, transcript: "no time" },
      "none",
    ]
    expect(decoded("deepgram", response({ utterances }))).toEqual({
      text: "Good morning. Who?",
      language: "en",
      duration: 1.5,
      segments: [
        { start: 0, end: 0.75, text: "Good morning.", speaker: "A" },
        { start: 1, end: 1.25, text: "Who?", speaker: "B" },
        { start: 1.25, end: 1.5, text: "", speaker: "speaker_26" },
      ],
      words: [
        { word: "Good", start: 0, end: 0.25 },
        { word: "morning.", start: 0.25, end: 0.75 },
        { word: "Who?", start: 1, end: 1.5 },
      ],
      usage: { seconds: 1.5 },
    })
  })

  test("converts sentences to segments if there are no utterances", () => {
    expect(decoded("deepgram", response({})).segments).toEqual([
      { start: 0, end: 0.75, text: "Good morning." },
      { start: 1, end: 1.5, text: "Who?" },
    ])
  })

  test("accepts words without punctuation, and audio without words", () => {
    const plain = { words: [{ word: "good", start: 0, end: 0.25 }, { word: "late" }, 7] }
    expect(decoded("deepgram", response({}, plain)).words).toEqual([
      { word: "good", start: 0, end: 0.25 },
    ])
    const silent = decoded("deepgram", response({}, { transcript: "", words: [] }))
    expect(silent).toEqual({ text: "", language: "en", duration: 1.5, usage: { seconds: 1.5 } })
  })

  test.each<JsonObject>([{}, { results: {} }, { results: { channels: [{ alternatives: [] }] } }])(
    "rejects a response without a transcript: %j",
    (body) => {
      expect(failureOf(() => decoded("deepgram", body))).toMatchObject({ kind: "upstream_error" })
    },
  )
})

describe("the ElevenLabs transcription decoder", () => {
  const word = (text: string, start: number, speaker: string) => ({
    text,
    start,
    end: start + 0.5,
    type: "word",
    speaker_id: speaker,
  })
  const response = {
    language_code: "eng",
    audio_duration_secs: 3,
    text: "Ready? Yes. Go!",
    words: [
      word("Ready?", 0, "speaker_0"),
      { text: " ", start: 0.5, end: 0.6, type: "spacing", speaker_id: "speaker_0" },
      word("Yes.", 0.6, "speaker_1"),
      { text: "(laughs)", start: 1.1, end: 1.3, type: "audio_event", speaker_id: "speaker_1" },
      word("Go!", 1.3, "speaker_0"),
    ],
  }

  test("drops spaces and noises from words", () => {
    const { words, language, duration, usage } = decoded("elevenlabs", response)
    expect(words?.map(({ word: text }) => text)).toEqual(["Ready?", "Yes.", "Go!"])
    expect({ language, duration, usage }).toEqual({
      language: "eng",
      duration: 3,
      usage: { seconds: 3 },
    })
  })

  test("ends a segment when the speaker changes if the caller requests speakers", () => {
    const { segments } = decoded("elevenlabs", response, { form: "diarized_json" })
    expect(segments).toEqual([
      { start: 0, end: 0.5, text: "Ready?", speaker: "speaker_0" },
      { start: 0.6, end: 1.1, text: "Yes.", speaker: "speaker_1" },
      { start: 1.3, end: 1.8, text: "Go!", speaker: "speaker_0" },
    ])
  })
})

describe("the Mistral transcription decoder", () => {
  test("reads segments, and counts tokens and seconds separately", () => {
    const transcript = decoded("mistral", {
      text: "One two",
      language: null,
      segments: [
        { start: 0, end: 0.5, text: "One", speaker_id: "speaker_1" },
        { start: 0.5, end: 1, text: "two" },
        { end: 2, text: "no start" },
        null,
      ],
      usage: {
        prompt_audio_seconds: 4,
        prompt_tokens: 6,
        total_tokens: 430,
        completion_tokens: 24,
        prompt_tokens_details: { audio_tokens: 400 },
      },
    })
    expect(transcript).toEqual({
      text: "One two",
      segments: [
        { start: 0, end: 0.5, text: "One", speaker: "speaker_1" },
        { start: 0.5, end: 1, text: "two" },
      ],
      usage: { seconds: 4, tokens: { text: 6, audio: 400, output: 24 } },
    })
  })

  test("accepts a response that contains only text", () => {
    expect(decoded("mistral", { text: "One", segments: [] })).toEqual({ text: "One", usage: {} })
  })
})

describe("the xAI transcription decoder", () => {
  test("builds segments from words", () => {
    const { segments, duration, language } = decoded("xai", {
      text: "Left. Right",
      language: "en",
      duration: 2.5,
      words: [
        { text: "Left.", start: 0, end: 0.5 },
        { text: "Right", start: 0.5, end: 1 },
      ],
    })
    expect({ segments, duration, language }).toEqual({
      segments: [
        { start: 0, end: 0.5, text: "Left." },
        { start: 0.5, end: 1, text: "Right" },
      ],
      duration: 2.5,
      language: "en",
    })
  })

  test("ends a segment at a pause and after a long text", () => {
    const long = "a".repeat(82)
    const { segments } = decoded("xai", {
      text: "",
      words: [
        { text: "one", start: 0, end: 0.5 },
        { text: "two", start: 1.5, end: 2 },
        { text: long, start: 2, end: 3 },
        { text: "three", start: 3, end: 4 },
      ],
    })
    expect(segments?.map(({ text }) => text)).toEqual(["one", "two", long, "three"])
  })
})

describe("the Gemini transcription decoder", () => {
  test("omits thoughts from the text, and counts them as output", () => {
    const transcript = decoded("google", {
      candidates: [
        {
          content: {
            parts: [
              { text: "It is German.", thought: true },
              { text: " Guten " },
              { text: "Tag " },
              3,
            ],
          },
        },
      ],
      usageMetadata: {
        promptTokenCount: 100,
        promptTokensDetails: [
          { modality: "TEXT", tokenCount: 20 },
          { modality: "AUDIO", tokenCount: 80 },
        ],
        candidatesTokenCount: 3,
        thoughtsTokenCount: 7,
      },
    })
    expect(transcript).toEqual({
      text: "Guten Tag",
      usage: { tokens: { text: 20, audio: 80, output: 10, reasoning: 7 } },
    })
  })

  test("accepts silence and missing usage, but rejects an empty response", () => {
    expect(decoded("google", { candidates: [{}] })).toEqual({ text: "", usage: {} })
    expect(failureOf(() => decoded("google", { candidates: [] }))).toMatchObject({
      kind: "upstream_error",
    })
  })
})

describe("the OpenAI transcription decoder", () => {
  const timed = {
    task: "transcribe",
    language: "english",
    duration: 4,
    text: "Up and down.",
    segments: [
      { id: 0, start: 0, end: 2, text: "Up" },
      { start: 2, end: 4 },
    ],
    words: [{ word: "Up", start: 0, end: 2 }],
    usage: { type: "duration", seconds: 4 },
  }

  test("reads times, and keeps the vendor's body if the caller requested the same format", () => {
    expect(decoded("openai", timed, { form: "verbose_json" })).toEqual({
      text: "Up and down.",
      language: "english",
      duration: 4,
      segments: [{ start: 0, end: 2, text: "Up" }],
      words: [{ word: "Up", start: 0, end: 2 }],
      usage: { seconds: 4 },
      body: timed,
    })
    expect(decoded("openai", timed, { form: "srt" }).body).toBeUndefined()
    const { text, usage } = timed
    expect(decoded("openai", timed, { form: "json" }).body).toEqual({ text, usage })
  })

  test("reads speakers", () => {
    const body = {
      task: "transcribe",
      duration: 2,
      text: "Hi",
      segments: [{ type: "transcript.text.segment", start: 0, end: 2, text: "Hi", speaker: "B" }],
    }
    const asked = decoded("openai", body, { form: "diarized_json" })
    expect(asked.segments).toEqual([{ start: 0, end: 2, text: "Hi", speaker: "B" }])
    expect(asked.body).toEqual(body)
    expect(decoded("openai", body, { form: "verbose_json" }).body).toBeUndefined()
  })

  test.each([
    [
      { type: "tokens", input_tokens: 30, output_tokens: 5 },
      { text: 0, audio: 30, output: 5 },
    ],
    [
      { input_tokens: 30, output_tokens: 5, input_token_details: { audio_tokens: 22 } },
      { text: 8, audio: 22, output: 5 },
    ],
    [
      { input_tokens: 3, output_tokens: 5, input_token_details: { audio_tokens: 22 } },
      { text: 0, audio: 22, output: 5 },
    ],
    [{ input_tokens: 30 }, undefined],
  ])("reads the tokens of %j", (usage, tokens) => {
    expect(decoded("openai", { text: "Hi", usage }).usage.tokens).toEqual(tokens)
  })

  test.each(["", "[]", "<html>"])("rejects a response that is not an object: %j", (body) => {
    expect(failureOf(() => decoded("openai", body))).toMatchObject({ kind: "upstream_error" })
  })
})

test.each(["openai", "groq", "openai-compatible"])(
  "a transcript of %s in the format json has only text, usage and log probabilities",
  (vendor) => {
    const usage = { type: "duration", seconds: 4 }
    const logprobs = [{ token: "Hi", logprob: -0.1, bytes: [72, 105] }]
    const more = {
      language: "en",
      duration: 4,
      segments: [],
      task: "transcribe",
      x_groq: { id: "r" },
    }
    const body = (response: JsonObject) => decoded(vendor, response).body
    expect(body({ text: "Hi", ...more, x_groq: { id: "req_1" } })).toEqual({ text: "Hi" })
    expect(body({ text: "Hi", ...more, usage, logprobs })).toEqual({ text: "Hi", usage, logprobs })
    expect(body({ text: "Hi", usage: "none", logprobs: null })).toEqual({ text: "Hi" })
  },
)

describe("the transcription decoder of a response with strings instead of numbers", () => {
  const parts = { form: "verbose_json" } as const
  const spoken = { task: "transcribe", text: "Up", duration: 60 }
  test.each<JsonObject>([
    { duration: "NaN" },
    { duration: "60" },
    { usage: { type: "duration", seconds: "Infinity" } },
    { segments: [{ start: "NaN", end: 1, text: "Up" }] },
    { words: [{ word: "Up", start: 0, end: "1e308" }] },
  ])("omits the vendor's body if it contains %j", (more) => {
    expect(decoded("openai", { ...spoken, ...more }, parts).body).toBeUndefined()
  })

  test("keeps the valid members of a response in the json format", () => {
    const usage = { type: "tokens", input_token_details: { audio_tokens: "NaN" } }
    const short = { form: "json" } as const
    const { body } = decoded("openai", { text: "Up", usage, logprobs: [] }, short)
    expect(body).toEqual({ text: "Up", logprobs: [] })
  })

  test("keeps transcribed text that looks like a number", () => {
    const segments = [{ start: 0, end: 1, text: "60" }]
    const response = { ...spoken, text: "NaN", segments }
    expect(decoded("openai", response, parts).body).toEqual(response)
  })
})
