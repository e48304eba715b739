import { checkEntries } from "../../../canon/response-limits.ts"
import { GatewayError } from "../../../canon/errors.ts"
import type { Loss } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  textAt,
} from "../../../canon/json.ts"
import { unusable } from "../../../canon/operation-response.ts"
import { measureOf } from "../../../canon/quantity.ts"
import type {
  Transcript,
  TranscriptForm,
  TranscriptionRequest,
  TranscriptSegment,
  TranscriptWord,
} from "../../../canon/transcription.ts"
import { type EncodedForm, encodeForm, type OutgoingField } from "../../../wire/encode-form.ts"
import { defined } from "../../shared/fields.ts"

/** The file extension for each container. Some vendors detect the container by the extension alone. */
const ENDINGS = {
  flac: "flac",
  mp3: "mp3",
  mp4: "m4a",
  mpeg: "mpeg",
  ogg: "ogg",
  wav: "wav",
  webm: "webm",
} as const

/**
 * Returns a form with the audio as its `file`. The file name is derived from the content, not from the caller's file
 * name.
 */
export function audioForm(
  fields: readonly OutgoingField[],
  { audio }: TranscriptionRequest,
): EncodedForm {
  const { file, container, mediaType } = audio
  return encodeForm(fields, [
    {
      field: "file",
      name: `audio.${ENDINGS[container]}`,
      type: mediaType,
      size: file.size,
      open: () => file.lend(),
    },
  ])
}

/** Returns a form as an upstream call. */
export function formCall(path: string, form: EncodedForm) {
  return {
    path,
    body: { type: "bytes", contentType: form.contentType, bytes: form.open },
    headers: { "content-length": String(form.size) },
  } as const
}

/**
 * Returns the `text` of a response; empty for silence.
 * @throws GatewayError `upstream_error` for a response without a text, such as an error with status 200.
 */
export function transcriptText({ text }: JsonObject): string {
  if (typeof text !== "string") throw unusable("it contains no transcript")
  return text
}

/** Rejects a translation, for vendors that do not support it. */
export function rejectTranslation(task: TranscriptionRequest["task"]): void {
  if (task === "transcribe") return
  throw new GatewayError(
    "model_not_supported",
    "This model transcribes but does not translate. Use a model that does, such as one of the Whisper family, or transcribe and have a chat model translate the text.",
    { parameter: "model" },
  )
}

/** Forms that contain times. */
export const TIMED: ReadonlySet<TranscriptForm> = new Set(["srt", "vtt", "verbose_json"])

/**
 * Returns the losses of a request to a vendor that does not stream its transcripts.
 * @param own further losses at this vendor.
 */
export function lossesOf(
  request: TranscriptionRequest,
  carried: ReadonlySet<"language" | "prompt" | "temperature" | "timestamps" | "speakers">,
  own: readonly Loss[] = [],
): Loss[] {
  const losses: Loss[] = []
  const { extra = {}, form, stream } = request
  for (const name of ["language", "prompt", "temperature"] as const) {
    if (request[name] !== undefined && !carried.has(name)) losses.push({ name, effect: "dropped" })
  }
  for (const name of Object.keys(extra)) losses.push({ name, effect: "dropped" })
  losses.push(...own)
  if (TIMED.has(form) && !carried.has("timestamps")) {
    losses.push({ name: "timestamps", effect: "approximated" })
  }
  if (stream) losses.push({ name: "stream", effect: "approximated" })
  if (form === "diarized_json" && !carried.has("speakers")) {
    losses.push({ name: "speakers", effect: "dropped" })
  }
  return losses
}

/** A vendor's report about a recording. Members that the vendor omits are undefined or empty. */
interface ReportedTranscript {
  readonly text: string
  readonly language: string | undefined
  /** Duration in seconds. */
  readonly duration: number | undefined
  readonly segments: readonly TranscriptSegment[]
  readonly words: readonly TranscriptWord[]
}

/** Returns the transcript of a vendor that reports seconds. */
export function timedTranscript(reported: ReportedTranscript): Transcript {
  const { text, language, duration, segments, words } = reported
  return defined({
    text,
    language,
    duration,
    segments: segments.length === 0 ? undefined : segments,
    words: words.length === 0 ? undefined : words,
    usage: defined({ seconds: duration }),
  })
}

/** Returns a member as a number that `measureOf` accepts; undefined for other values. */
export function numberAt(object: JsonObject, key: string): number | undefined {
  return measureOf(object[key])
}

/**
 * Returns the segments or words in a member.
 * @throws GatewayError `upstream_error` if there are more than a transcript can have.
 */
export function timedListAt(object: JsonObject, key: string): readonly JsonValue[] {
  const list = listAt(object, key)
  checkEntries("segments or words", list.length)
  return list
}

/**
 * Returns the words of a list.
 * @param name the member that contains the text of a word.
 */
export function wordsAt(object: JsonObject, key: string, name: string): TranscriptWord[] {
  return timedListAt(object, key).flatMap((item) => {
    if (!isJsonObject(item)) return []
    const word = textAt(item, name)
    const start = numberAt(item, "start")
    const end = numberAt(item, "end")
    if (word === undefined || start === undefined || end === undefined) return []
    return [{ word, start, end }]
  })
}

/** A pause of this length starts a new segment. */
const MIN_SEGMENT_PAUSE_SECONDS = 0.8
/** Characters after which a new segment starts, about two lines of subtitles. */
const LONG_TEXT = 84

/** Builds segments from words. A segment ends at the end of a sentence, at a pause, or before it grows too long. */
export function segmentsOfWords(words: readonly TranscriptWord[]): TranscriptSegment[] {
  const segments: TranscriptSegment[] = []
  let open: TranscriptSegment | undefined
  for (const { word, start, end } of words) {
    const isOver =
      open !== undefined &&
      (start - open.end > MIN_SEGMENT_PAUSE_SECONDS ||
        open.text.length + word.length >= LONG_TEXT ||
        /[.!?。！？]["')\]]?$/u.test(open.text))
    if (open !== undefined && isOver) {
      segments.push(open)
      open = undefined
    }
    open = open ? { ...open, end, text: `${open.text} ${word}` } : { start, end, text: word }
  }
  return open ? [...segments, open] : segments
}
