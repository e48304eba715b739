import { assertNever } from "../../canon/assert-never.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import type {
  Transcript,
  TranscriptionRequest,
  TranscriptSegment,
} from "../../canon/transcription.ts"
import { languageName } from "./request.ts"

/** A transcript in the requested format. */
export interface RenderedTranscript {
  readonly contentType: string
  readonly body: string
}

const JSON_TYPE = "application/json"
const TEXT_TYPE = "text/plain; charset=utf-8"

/**
 * Writes a transcript in the requested format (docs/contribute/wire/transcription.md#f2, docs/use/endpoints.md#audio).
 */
export function renderTranscript(
  transcript: Transcript,
  request: TranscriptionRequest,
): RenderedTranscript {
  const { form } = request
  switch (form) {
    case "json":
      return json(transcript.body ?? shortBody(transcript, request))
    case "verbose_json":
      return json(verboseBody(transcript, request))
    case "diarized_json":
      return json(transcript.body ?? diarizedBody(transcript, request))
    case "text":
      return { contentType: TEXT_TYPE, body: transcript.text }
    case "srt":
      return { contentType: TEXT_TYPE, body: subtitles(segmentsOf(transcript, request), ",", true) }
    case "vtt":
      return {
        contentType: TEXT_TYPE,
        body: `WEBVTT\n\n${subtitles(segmentsOf(transcript, request), ".", false)}`,
      }
    default:
      return assertNever(form)
  }
}

function json(body: JsonObject): RenderedTranscript {
  return { contentType: JSON_TYPE, body: JSON.stringify(body) }
}

/**
 * Returns the events of a stream, for a vendor that did not stream: one event with the whole text, and the final event.
 */
export function renderEvents(transcript: Transcript, request: TranscriptionRequest): string {
  const { text } = transcript
  const usage = usageBody(transcript, request)
  // OpenAI's event can only contain usage in tokens.
  const counted = usage.type === "tokens" ? { usage } : {}
  const events = [
    { type: "transcript.text.delta", delta: text },
    { type: "transcript.text.done", text, ...counted },
  ]
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`
}

function shortBody(transcript: Transcript, request: TranscriptionRequest): JsonObject {
  return { text: transcript.text, usage: usageBody(transcript, request) }
}

function usageBody({ usage, duration }: Transcript, { audio }: TranscriptionRequest): JsonObject {
  const { tokens } = usage
  if (!tokens) {
    return { type: "duration", seconds: Math.ceil(usage.seconds ?? duration ?? audio.seconds) }
  }
  return {
    type: "tokens",
    input_tokens: tokens.text + tokens.audio,
    input_token_details: { text_tokens: tokens.text, audio_tokens: tokens.audio },
    output_tokens: tokens.output,
    total_tokens: tokens.text + tokens.audio + tokens.output,
  }
}

/**
 * Returns the body of `verbose_json`. Clients expect every member of a segment
 * (docs/contribute/wire/transcription.md#f2), so members that the vendor does not report are 0.
 */
function verboseBody(transcript: Transcript, request: TranscriptionRequest): JsonObject {
  const { body } = transcript
  if (body)
    return {
      ...body,
      ...(Array.isArray(body.segments) && { segments: body.segments.map(completed) }),
    }
  const { granularities, audio, task, temperature = 0 } = request
  const wantsSegments = granularities.length === 0 || granularities.includes("segment")
  const segments = segmentsOf(transcript, request).map((segment, index) => ({
    ...EMPTY_SEGMENT,
    id: index,
    start: segment.start,
    end: segment.end,
    text: segment.text,
    temperature,
  }))
  return {
    task,
    language: languageName(transcript.language ?? request.language ?? "unknown"),
    duration: transcript.duration ?? round(audio.seconds),
    text: transcript.text,
    ...(wantsSegments && { segments }),
    ...(granularities.includes("word") &&
      transcript.words && { words: transcript.words.map((word) => ({ ...word })) }),
    usage: usageBody(transcript, request),
  }
}

const EMPTY_SEGMENT: JsonObject = {
  id: 0,
  seek: 0,
  start: 0,
  end: 0,
  text: "",
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 0,
  no_speech_prob: 0,
}

function completed(segment: JsonValue, index: number): JsonValue {
  return typeof segment === "object" && segment !== null && !Array.isArray(segment)
    ? { ...EMPTY_SEGMENT, id: index, ...segment }
    : segment
}

function diarizedBody(transcript: Transcript, request: TranscriptionRequest): JsonObject {
  return {
    task: request.task,
    duration: transcript.duration ?? round(request.audio.seconds),
    text: transcript.text,
    segments: segmentsOf(transcript, request).map(({ start, end, text, speaker = "A" }, index) => ({
      type: "transcript.text.segment",
      id: `seg_${index}`,
      start,
      end,
      text,
      speaker,
    })),
    usage: usageBody(transcript, request),
  }
}

/**
 * Returns the vendor's segments. If the vendor reports no times, the whole text is a single segment, which is reported
 * as a loss.
 */
function segmentsOf(
  transcript: Transcript,
  { audio }: TranscriptionRequest,
): readonly TranscriptSegment[] {
  const { segments, text, duration } = transcript
  if (segments) return segments
  return text === "" ? [] : [{ start: 0, end: round(duration ?? audio.seconds), text }]
}

/** Returns subtitles: numbered cues in SRT, or the cues of WebVTT. */
function subtitles(
  segments: readonly TranscriptSegment[],
  point: "," | ".",
  isNumbered: boolean,
): string {
  let cues = ""
  // All cues are written in one turn of the event loop, so a text is only searched if it can contain a match.
  for (const [index, { start, end, text }] of segments.entries()) {
    if (isNumbered) cues += `${index + 1}\n`
    cues += `${clock(start, point)} --> ${clock(end, point)}\n`
    const trimmed = text.trim()
    // An empty line would end the cue.
    const words = trimmed.includes("\n") ? trimmed.replace(/\n\s*\n/g, "\n") : trimmed
    cues += isNumbered ? words : words.replaceAll("-->", "->")
    cues += "\n\n"
  }
  return cues
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}

function clock(seconds: number, point: "," | "."): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1000))
  const whole = Math.floor(milliseconds / 1000)
  const hours = two(Math.floor(whole / 3600))
  const rest = milliseconds % 1000
  const thousandths = rest < 100 ? `0${two(rest)}` : String(rest)
  return `${hours}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}${point}${thousandths}`
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
