import { describe, expect, test } from "bun:test"
import { feeding } from "../../support/event-reading.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import type { Transcript, TranscriptionRequest } from "../../../src/canon/transcription.ts"
import { renderEvents, renderTranscript } from "../../../src/dialects/transcription/result.ts"
import { TranscriptEventReader } from "../../../src/dialects/transcription/stream.ts"
import { transcriptionOf } from "../../support/audio-request.ts"
import { failureOf } from "./decoded-response.ts"

describe("the transcript encoder", () => {
  const transcript: Transcript = {
    text: "Up and down.",
    language: "en",
    duration: 4,
    segments: [
      { start: 0, end: 2, text: "Up", speaker: "B" },
      { start: 2, end: 4, text: "and down." },
    ],
    words: [{ word: "Up", start: 0, end: 2 }],
    usage: { tokens: { text: 1, audio: 9, output: 4 } },
  }
  const bodyOf = (parts: Partial<TranscriptionRequest>, said = transcript): JsonObject =>
    JSON.parse(renderTranscript(said, transcriptionOf(parts)).body) as JsonObject

  test("writes the speaker of each segment in diarized_json", () => {
    expect(bodyOf({ form: "diarized_json" })).toMatchObject({
      task: "transcribe",
      duration: 4,
      segments: [
        { type: "transcript.text.segment", id: "seg_0", start: 0, end: 2, speaker: "B" },
        { type: "transcript.text.segment", id: "seg_1", start: 2, end: 4, speaker: "A" },
      ],
    })
  })

  test("writes words to verbose_json on request, and a single segment if the vendor reports no times", () => {
    const words = { form: "verbose_json", granularities: ["word"] } as const
    expect(bodyOf(words)["words"]).toEqual([{ word: "Up", start: 0, end: 2 }])
    expect(bodyOf({ form: "verbose_json" })).not.toHaveProperty("words")
    const untimed = bodyOf({ form: "verbose_json" }, { text: "Up", usage: {} })
    expect(untimed).toMatchObject({ duration: 3.7, segments: [{ start: 0, end: 3.7, text: "Up" }] })
  })

  test("generates events if the vendor does not stream the transcript", () => {
    const events = renderEvents(transcript, transcriptionOf({ stream: true }))
    const reader = new TranscriptEventReader()
    feeding(reader)(new TextEncoder().encode(events))
    expect(reader).toMatchObject({ text: "Up and down.", isOver: true, usage: transcript.usage })
  })

  test("omits usage from events if the vendor reports a duration, as OpenAI does", () => {
    const untimed = { ...transcript, usage: { seconds: 4 } }
    const events = renderEvents(untimed, transcriptionOf({ stream: true }))
    expect(events).toContain('{"type":"transcript.text.done","text":"Up and down."}')
  })
})

describe("the streamed transcript decoder", () => {
  const event = (value: JsonObject) =>
    `event: ${String(value["type"])}\ndata: ${JSON.stringify(value)}\n\n`
  const usage = {
    input_tokens: 12,
    output_tokens: 4,
    input_token_details: { text_tokens: 2, audio_tokens: 10 },
  }
  const stream = new TextEncoder().encode(
    [
      ": a comment\n\n",
      event({ type: "transcript.text.delta", delta: "Grüße " }),
      event({ type: "transcript.text.delta", delta: "🐦" }),
      event({ type: "transcript.other", delta: "not text" }),
      event({ type: "transcript.text.done", text: "Grüße 🐦!", usage }),
      "data: [DONE]\n\n",
    ].join(""),
  )

  test("returns the same transcript for any split of the bytes", () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      const reader = new TranscriptEventReader()
      const feed = feeding(reader)
      feed(stream.subarray(0, cut))
      feed(stream.subarray(cut))
      expect(reader).toMatchObject({
        text: "Grüße 🐦!",
        usage: { tokens: { text: 2, audio: 10, output: 4 } },
        isOver: true,
      })
    }
  })

  test("returns all complete characters after each byte", () => {
    const reader = new TranscriptEventReader()
    const feed = feeding(reader)
    const texts = new Set<string>()
    for (const byte of stream) {
      feed(Uint8Array.of(byte))
      texts.add(reader.text)
    }
    expect([...texts]).toEqual(["", "Grüße ", "Grüße 🐦", "Grüße 🐦!"])
  })

  test("fails if the stream contains a vendor error", () => {
    const reader = new TranscriptEventReader()
    const bytes = new TextEncoder().encode(event({ type: "error", error: { message: "no" } }))
    expect(failureOf(() => feeding(reader)(bytes))).toMatchObject({ kind: "upstream_error" })
    expect(reader.isOver).toBe(false)
  })
})
