import { GatewayError } from "../../../canon/errors.ts"
import type { Loss } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from "../../../canon/json.ts"
import { jsonOf } from "../../../canon/operation-response.ts"
import type { OperationResponse } from "../../../canon/operation.ts"
import {
  type Transcript,
  type TranscriptForm,
  type TranscriptionFormat,
  type TranscriptionRequest,
  type TranscriptSegment,
  type TranscriptTokens,
  usageOfTranscript,
} from "../../../canon/transcription.ts"
import type { OutgoingField } from "../../../wire/encode-form.ts"
import { defined } from "../../shared/fields.ts"
import { withoutAllCosts } from "../../shared/vendor-costs.ts"
import {
  audioForm,
  formCall,
  numberAt,
  rejectTranslation,
  TIMED,
  timedListAt,
  timedTranscript,
  transcriptText,
  wordsAt,
} from "./fields.ts"

/** The features of a transcription model with OpenAI's format. */
export type TranscriptionModelTraits =
  /** Returns segments with `verbose_json`, and cannot stream. */
  | "whisper"
  /** Returns only JSON, without times. */
  | "text-only"
  /** Returns speakers and times with `diarized_json`. */
  | "diarizing"

/** Differences between a vendor's API and OpenAI's. */
export interface OpenAiTranscriptionQuirks {
  traits(model: string): TranscriptionModelTraits
  readonly translations: boolean
  /** Whether responses in the format `json` also contain the duration. */
  readonly countsInJson: boolean
}

/** The quirks of OpenAI's own API (docs/contribute/wire/transcription.md#f1). */
const OPENAI_QUIRKS: OpenAiTranscriptionQuirks = {
  traits(model) {
    if (/diarize/i.test(model)) return "diarizing"
    return /gpt(-[\w.]+)*-transcribe/i.test(model) ? "text-only" : "whisper"
  },
  translations: true,
  countsInJson: false,
}

/**
 * Matches models that support `verbose_json`, with which their servers report the duration
 * (docs/contribute/wire/transcription.md#f9).
 */
const COUNTED = /whisper/i

/**
 * Creates the format of OpenAI's `POST /audio/transcriptions` and `/audio/translations`.
 * @param decodeError reads the vendor's errors.
 */
export function openAiTranscription(
  decodeError: TranscriptionFormat["decodeError"],
  quirks: Partial<OpenAiTranscriptionQuirks> = {},
): TranscriptionFormat {
  const { traits, translations, countsInJson } = { ...OPENAI_QUIRKS, ...quirks }
  const translates = (model: string): boolean => translations && traits(model) === "whisper"
  return {
    translates,
    encode(request, model) {
      const { task } = request
      const trait = traits(model)
      if (!translates(model)) rejectTranslation(task)
      const isCounted = !countsInJson && COUNTED.test(model)
      const form = upstreamForm(request.form, trait, isCounted)
      const losses: Loss[] =
        trait === "text-only" && TIMED.has(request.form)
          ? [{ name: "timestamps", effect: "approximated" }]
          : []
      if (request.stream && trait === "whisper") {
        losses.push({ name: "stream", effect: "approximated" })
      }
      const path = task === "translate" ? "/audio/translations" : "/audio/transcriptions"
      const fields = fieldsOf(request, { model, form, streams: trait !== "whisper" })
      return { calls: [formCall(path, audioForm(fields, request))], losses }
    },
    decode,
    usageIn: (members) => usageOfTranscript(usageOf(objectAt(members, "usage"))),
    decodeError,
  }
}

/**
 * Returns the format to request from the vendor. The gateway can convert it to the requested format, and it contains
 * the vendor's count.
 */
function upstreamForm(
  form: TranscriptForm,
  traits: TranscriptionModelTraits,
  isCounted: boolean,
): TranscriptForm {
  const isTimed = TIMED.has(form)
  switch (traits) {
    case "whisper":
      if (form === "diarized_json") throw noSpeakers()
      return isTimed || isCounted ? "verbose_json" : "json"
    case "text-only":
      if (form === "diarized_json") throw noSpeakers()
      return "json"
    case "diarizing":
      return isTimed || form === "diarized_json" ? "diarized_json" : "json"
  }
}

function noSpeakers(): GatewayError {
  return new GatewayError(
    "invalid_value",
    "This model does not distinguish speakers, so it does not support 'diarized_json'. It supports: 'json', 'text', 'srt', 'verbose_json' and 'vtt'.",
    { parameter: "response_format" },
  )
}

interface UpstreamOptions {
  readonly model: string
  readonly form: TranscriptForm
  readonly streams: boolean
}

function fieldsOf(
  request: TranscriptionRequest,
  { model, form, streams }: UpstreamOptions,
): OutgoingField[] {
  const { language, prompt, temperature, granularities, stream, extra = {} } = request
  const fields: OutgoingField[] = [
    ["model", model],
    ["response_format", form],
  ]
  if (language !== undefined) fields.push(["language", language])
  if (prompt !== undefined) fields.push(["prompt", prompt])
  if (temperature !== undefined) fields.push(["temperature", String(temperature)])
  if (form === "verbose_json" && TIMED.has(request.form)) {
    for (const one of granularities) fields.push(["timestamp_granularities[]", one])
  }
  if (stream && streams) fields.push(["stream", "true"])
  for (const [name, value] of Object.entries(extra)) {
    if (Array.isArray(value)) {
      for (const one of value) fields.push([`${name}[]`, String(one)])
    } else fields.push([name, String(value)])
  }
  return fields
}

function decode(response: OperationResponse, request: TranscriptionRequest): Transcript {
  const body = jsonOf(response)
  const text = transcriptText(body)
  const duration = numberAt(body, "duration")
  const language = textAt(body, "language")
  const segments = segmentsAt(body)
  const words = wordsAt(body, "words", "word")
  const requested = requestedBody(body, request)
  return {
    ...timedTranscript({ text, language, duration, segments, words }),
    usage: usageOf(objectAt(body, "usage"), duration),
    ...defined({ body: requested && withoutAllCosts(requested) }),
  }
}

/**
 * Returns the vendor's body if it has the requested format. For `json`, members that OpenAI does not send are removed.
 */
function requestedBody(body: JsonObject, { form }: TranscriptionRequest): JsonObject | undefined {
  if (form === "json") return typeof body.text === "string" ? shortBody(body) : undefined
  if (form === "diarized_json") {
    return hasSpeakers(body) && !hasNumberTexts(body) ? body : undefined
  }
  const isVerbose = form === "verbose_json" && body.duration !== undefined && !hasNumberTexts(body)
  return isVerbose && body.task !== undefined && !hasSpeakers(body) ? body : undefined
}

function shortBody({ text, usage, logprobs }: JsonObject): JsonObject {
  const counted = isJsonObject(usage) && !hasNumberText(usage) ? usage : undefined
  return defined({ text, usage: counted, logprobs: Array.isArray(logprobs) ? logprobs : undefined })
}

/** Whether times or counts are sent as strings, such as "NaN". Clients expect numbers. */
function hasNumberTexts({ duration, usage, segments, words }: JsonObject): boolean {
  if (isNumberText(duration) || (isJsonObject(usage) && hasNumberText(usage))) return true
  const timed = [segments, words].flatMap((list) => (Array.isArray(list) ? list : []))
  return timed.some((item) => isJsonObject(item) && [item.start, item.end].some(isNumberText))
}

function hasNumberText(usage: JsonObject): boolean {
  return Object.values(usage).some(
    (value) => isNumberText(value) || (isJsonObject(value) && hasNumberText(value)),
  )
}

function isNumberText(value: JsonValue | undefined): boolean {
  if (typeof value !== "string" || value.trim() === "") return false
  return /^[+-]?(?:nan|inf(?:inity)?)$/i.test(value) || !Number.isNaN(Number(value))
}

function hasSpeakers(body: JsonObject): boolean {
  const [first] = listAt(body, "segments")
  return isJsonObject(first) && first.speaker !== undefined
}

function segmentsAt(body: JsonObject): TranscriptSegment[] {
  return timedListAt(body, "segments").flatMap((item) => {
    if (!isJsonObject(item)) return []
    const start = numberAt(item, "start")
    const end = numberAt(item, "end")
    const { text } = item
    if (start === undefined || end === undefined || typeof text !== "string") return []
    const speaker = textAt(item, "speaker") ?? textAt(item, "speaker_id")
    return [defined({ start, end, text, speaker })]
  })
}

/**
 * Decodes the usage of a vendor with OpenAI's format (docs/contribute/wire/transcription.md#f2), which is in seconds or
 * tokens. Mistral reports seconds in addition to tokens, and its audio tokens in the details.
 */
export function usageOf(usage: JsonObject | undefined, duration?: number): Transcript["usage"] {
  const seconds = usage && (numberAt(usage, "seconds") ?? numberAt(usage, "prompt_audio_seconds"))
  const tokens = usage && tokensOf(usage)
  return defined({ seconds: seconds ?? duration, tokens })
}

function tokensOf(usage: JsonObject): TranscriptTokens | undefined {
  const output = numberAt(usage, "output_tokens") ?? numberAt(usage, "completion_tokens")
  if (output === undefined) return undefined
  const details =
    objectAt(usage, "input_token_details") ?? objectAt(usage, "prompt_tokens_details") ?? {}
  const audio = numberAt(details, "audio_tokens")
  const input = numberAt(usage, "input_tokens")
  if (input === undefined) {
    // Mistral's prompt tokens only include text, but its total also includes audio.
    const text = numberAt(usage, "prompt_tokens") ?? 0
    const rest = Math.max(0, (numberAt(usage, "total_tokens") ?? 0) - text - output)
    return { text, audio: audio ?? rest, output }
  }
  const audioTokens = audio ?? input
  return { text: Math.max(0, input - audioTokens), audio: audioTokens, output }
}
