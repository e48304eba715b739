import { describe, expect, test } from "bun:test"
import { feeding } from "../../support/event-reading.ts"
import type { TranscriptForm, TranscriptionFormat } from "../../../src/canon/transcription.ts"
import { TranscriptEventReader } from "../../../src/dialects/transcription/stream.ts"
import { renderTranscript } from "../../../src/dialects/transcription/result.ts"
import { vendors } from "../../../src/vendors/index.ts"
import { responseOf, transcriptionOf } from "../../support/audio-request.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"

const RUBY = "Ruby is a programming language designed for developer happiness."

interface Recorded {
  readonly file: string
  readonly vendor: string
  readonly form?: TranscriptForm
  readonly text?: string
  readonly usage: object
}

const RECORDED: readonly Recorded[] = [
  {
    file: "openai-audio/transcription-basic-functionality-openai-whisper-1-can-transcribe-audio--0",
    vendor: "openai",
    usage: { seconds: 4 },
  },
  {
    file: "openai-audio/transcription-basic-functionality-openai-whisper-1-can-transcribe-with-language-hint--0",
    vendor: "openai",
    usage: { seconds: 4 },
  },
  {
    file: "openai-audio/transcription-basic-functionality-openai-gpt-4o-transcribe-diarize-can-transcribe-audio--0",
    vendor: "openai",
    form: "diarized_json",
    usage: { seconds: 3.7, tokens: { text: 0, audio: 37, output: 144 } },
  },
  {
    file: "openai-audio/transcription-basic-functionality-openai-gpt-4o-transcribe-diarize-can-transcribe-with-lan--0",
    vendor: "openai",
    form: "diarized_json",
    usage: { seconds: 3.7, tokens: { text: 0, audio: 37, output: 145 } },
  },
  {
    file: "openrouter/transcription-basic-functionality-openrouter-openai-gpt-4o-mini-transcribe-can-transcribe--0-a70576",
    vendor: "openrouter",
    usage: { tokens: { text: 0, audio: 37, output: 12 } },
  },
  {
    file: "mistral/transcription-basic-functionality-mistral-voxtral-mini-latest-labels-segments-with-speaker--0",
    vendor: "mistral",
    usage: { seconds: 3, tokens: { text: 5, audio: 375, output: 20 } },
  },
  {
    file: "deepgram/providers-deepgram-audio-transcribes-a-local-file-with-nova-3--0",
    vendor: "deepgram",
    usage: { seconds: 3.6999376 },
  },
  {
    file: "deepgram/providers-deepgram-audio-labels-words-with-speakers-when-speaker-names-are-given--0",
    vendor: "deepgram",
    usage: { seconds: 3.6999376 },
  },
  {
    file: "xai/transcription-basic-functionality-xai-grok-stt-can-transcribe-audio--0",
    vendor: "xai",
    usage: { seconds: 3.7 },
  },
  {
    file: "openai-audio/audio-whisper-1-translate--0",
    vendor: "openai",
    text: "\"'It is eleven, Concierge, and it's ignoring. Is it's mile where?' may send a little. \"'Nay, and the she knew whither o'er, men. I had dealt a frail.\"",
    usage: {},
  },
]

const PARSED: readonly Recorded[] = [
  {
    file: "vercel-ai/deepgram/deepgram-transcription.json",
    vendor: "deepgram",
    usage: { seconds: 36.744 },
  },
  {
    file: "vercel-ai/mistral/mistral-transcription.json",
    vendor: "mistral",
    usage: { seconds: 36 },
  },
  { file: "vercel-ai/elevenlabs/elevenlabs-transcription.json", vendor: "elevenlabs", usage: {} },
]

function formatOf(vendor: string): TranscriptionFormat {
  const format = vendors.get(vendor)?.operations?.transcription
  if (!format) throw new Error(`${vendor} does not transcribe`)
  return format
}

function bodyOf(file: string): unknown {
  const { response } = JSON.parse(readFixture(`recorded/${file}.json`))
  return response.body.json
}

const FORMS: readonly TranscriptForm[] = [
  "json",
  "text",
  "srt",
  "vtt",
  "verbose_json",
  "diarized_json",
]

describe(`recorded transcripts${WITHOUT_FIXTURES}`, () => {
  for (const { file, vendor, form = "json", text = RUBY, usage } of HAS_FIXTURES ? RECORDED : []) {
    test(`keep their text and their usage: ${file}`, () => {
      const request = transcriptionOf({ form })
      const transcript = formatOf(vendor).decode(responseOf(bodyOf(file)), request)
      expect(transcript.text).toBe(text)
      expect(transcript.usage).toEqual(usage)
      for (const wanted of FORMS) {
        const asked = transcriptionOf({ form: wanted, granularities: [] })
        const again = formatOf(vendor).decode(responseOf(bodyOf(file)), asked)
        const { body } = renderTranscript(again, asked)
        const words = text.split(" ").slice(0, 3).join(" ").replaceAll('"', "")
        expect(body.replaceAll('\\"', "").replaceAll('"', "")).toContain(words)
      }
    })
  }

  for (const { file, vendor, usage } of HAS_FIXTURES ? PARSED : []) {
    test(`yield subtitles: ${file}`, () => {
      const body = JSON.parse(readFixture(file))
      const request = transcriptionOf({ form: "srt" })
      const transcript = formatOf(vendor).decode(responseOf(body), request)
      expect(transcript.usage).toMatchObject(usage)
      expect(transcript.segments?.length).toBeGreaterThan(0)
      const cues = renderTranscript(transcript, request).body.trim().split("\n\n")
      expect(cues.length).toBe(transcript.segments?.length ?? 0)
      for (const [index, cue] of cues.entries()) {
        expect(cue).toMatch(/^\d+\n\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}\n\S/)
        expect(cue).toStartWith(`${index + 1}\n`)
      }
    })
  }

  test.if(HAS_FIXTURES)(
    "include a stream of OpenAI that the decoder reads in chunks of any size",
    () => {
      const file =
        "recorded/openai-audio/transcription-basic-functionality-openai-gpt-4o-transcribe-streams-text-deltas-and-returns--0.json"
      const bytes = Buffer.from(JSON.parse(readFixture(file)).response.body.text as string)
      for (const size of [1, 7, 100, bytes.length]) {
        const reader = new TranscriptEventReader()
        const feed = feeding(reader)
        for (let at = 0; at < bytes.length; at += size) feed(bytes.subarray(at, at + size))
        expect(reader.isOver).toBe(true)
        expect(reader.text).toBe(RUBY)
        expect(reader.usage).toEqual({ tokens: { text: 0, audio: 37, output: 12 } })
      }
    },
  )
})
