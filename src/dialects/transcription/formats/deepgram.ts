import { GatewayError } from "../../../canon/errors.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../../canon/json.ts"
import { jsonOf, unusable } from "../../../canon/operation-response.ts"
import type {
  Transcript,
  TranscriptionFormat,
  TranscriptSegment,
} from "../../../canon/transcription.ts"
import { vendorRejection } from "../../../canon/vendor-error.ts"
import { defined } from "../../shared/fields.ts"
import {
  lossesOf,
  numberAt,
  rejectTranslation,
  segmentsOfWords,
  timedListAt,
  timedTranscript,
  wordsAt,
} from "./fields.ts"

/**
 * The format of Deepgram's `POST /v1/listen`, whose body is the audio itself
 * (docs/contribute/wire/transcription.md#f5).
 */
export const DEEPGRAM_TRANSCRIPTION: TranscriptionFormat = {
  translates: () => false,
  encode(request, model) {
    rejectTranslation(request.task)
    const { audio, language, form } = request
    const query = new URLSearchParams({ model, smart_format: "true", utterances: "true" })
    if (language === undefined) query.set("detect_language", "true")
    else query.set("language", language)
    if (form === "diarized_json") throw speakersNotPriced()
    const losses = lossesOf(request, new Set(["language", "timestamps"]))
    const { file, mediaType } = audio
    const call = {
      path: `/v1/listen?${query.toString()}`,
      body: { type: "bytes", contentType: mediaType, bytes: () => file.lend() },
      headers: { "content-length": String(file.size) },
    } as const
    return { calls: [call], losses }
  },
  decode(response) {
    const body = jsonOf(response)
    const results = objectAt(body, "results")
    const [channel] = results ? listAt(results, "channels") : []
    const [alternative] = isJsonObject(channel) ? listAt(channel, "alternatives") : []
    if (!results || !isJsonObject(channel) || !isJsonObject(alternative)) {
      throw unusable("it contains no transcript")
    }
    return transcriptOf(alternative, channel, { body, results })
  },
  /** Decodes `{err_code, err_msg}` or `{category, message, details}` (docs/contribute/wire/transcription.md#f5). */
  decodeError(status, body) {
    if (!isJsonObject(body)) return vendorRejection(status, {})
    const message = textAt(body, "err_msg") ?? textAt(body, "message")
    const code = textAt(body, "err_code") ?? textAt(body, "category")
    return vendorRejection(status, defined({ message, code }))
  },
}

/**
 * Returns the error for speakers, which Deepgram bills by the minute in addition to the transcript. No price of a model
 * includes them.
 */
function speakersNotPriced(): GatewayError {
  return new GatewayError(
    "feature_not_priced",
    "`response_format` asks for `diarized_json`, which cannot be priced: Deepgram bills speakers in addition to the transcript. Choose another format or another model.",
    { parameter: "response_format" },
  )
}

function transcriptOf(
  alternative: JsonObject,
  channel: JsonObject,
  { body, results }: { readonly body: JsonObject; readonly results: JsonObject },
): Transcript {
  const written = wordsAt(alternative, "words", "punctuated_word")
  const words = written.length > 0 ? written : wordsAt(alternative, "words", "word")
  const spoken = utterances(results)
  const segments = spoken.length > 0 ? spoken : segmentsOfWords(words)
  const duration = numberAt(objectAt(body, "metadata") ?? {}, "duration")
  const language = textAt(channel, "detected_language")
  const text = textAt(alternative, "transcript") ?? ""
  return timedTranscript({ text, language, duration, segments, words })
}

function utterances(results: JsonObject): TranscriptSegment[] {
  return timedListAt(results, "utterances").flatMap((item) => {
    if (!isJsonObject(item)) return []
    const start = numberAt(item, "start")
    const end = numberAt(item, "end")
    const speaker = numberAt(item, "speaker")
    if (start === undefined || end === undefined) return []
    const text = textAt(item, "transcript") ?? ""
    return [defined({ start, end, text, speaker: letter(speaker) })]
  })
}

/** Returns the letter of a speaker. OpenAI's format identifies speakers by letters, and Deepgram's by numbers. */
function letter(speaker: number | undefined): string | undefined {
  if (speaker === undefined) return undefined
  return speaker < 26 ? String.fromCharCode(65 + speaker) : `speaker_${speaker}`
}
