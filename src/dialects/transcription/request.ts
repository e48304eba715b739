import type { Writable } from "../../canon/writable.ts"
import { invalidValue, missingParameter, unsupportedValue } from "../../canon/invalid-request.ts"
import {
  isDefined,
  type JsonObject,
  type JsonValue,
  shown,
  textAt,
  unknownFields,
} from "../../canon/json.ts"
import {
  type Audio,
  TRANSCRIPT_FORMS,
  type TranscriptForm,
  type TranscriptionRequest,
  type TranscriptionTask,
} from "../../canon/transcription.ts"
import { AUDIO_NAMES } from "../shared/deciding-fields.ts"
import { decimal, flag, text, parameterSchemas, validateParameters } from "../shared/parameters.ts"

/** A transcription request whose audio has not been inspected yet. */
export type TranscriptionOptions = Omit<TranscriptionRequest, "audio">

const CANON_FIELDS = new Set([
  "model",
  "language",
  "prompt",
  "temperature",
  "response_format",
  "stream",
  "timestamp_granularities",
])

const PARAMETERS = parameterSchemas(
  () => ({
    model: text(),
    language: text(),
    prompt: text(),
    temperature: decimal({ minimum: 0, maximum: 1 }),
    response_format: text(),
    stream: flag(),
  }),
  { own: CANON_FIELDS, others: { names: AUDIO_NAMES, instead: "file" } },
)

/** The types of the form's fields that are not text. */
export const TRANSCRIPTION_FIELDS = {
  temperature: "number",
  stream: "flag",
  timestamp_granularities: "list",
  include: "list",
  known_speaker_names: "list",
  known_speaker_references: "list",
} as const

const FORMS: readonly TranscriptForm[] = [...TRANSCRIPT_FORMS, "diarized_json"]
const GRANULARITIES = ["word", "segment"] as const

/**
 * Decodes the fields of a transcription or translation in OpenAI's format (docs/use/endpoints.md#audio,
 * docs/contribute/wire/transcription.md#f1). Fields that the canon lacks are kept as extra.
 * @throws GatewayError with OpenAI's message for the invalid field.
 */
export function decodeTranscription(
  body: JsonObject,
  task: TranscriptionTask,
): TranscriptionOptions {
  const { model, temperature, prompt } = body
  if (!isDefined(model)) throw missingParameter("model")
  validateParameters(body, PARAMETERS)
  const form = decodeForm(body.response_format)
  const granularities = decodeGranularities(body.timestamp_granularities, form)
  const options: Writable<TranscriptionOptions> = {
    model: model as string,
    task,
    form,
    granularities,
    // Only formats with text can be streamed. OpenAI ignores the option for others.
    stream:
      body.stream === true && (form === "json" || form === "text" || form === "diarized_json"),
  }
  const language = task === "transcribe" ? decodeLanguage(textAt(body, "language")) : undefined
  if (language !== undefined) options.language = language
  if (typeof prompt === "string") options.prompt = prompt
  if (typeof temperature === "number") options.temperature = temperature
  const extra = unknownFields(body, CANON_FIELDS)
  if (extra !== undefined) options.extra = extra
  return options
}

export function withAudio(options: TranscriptionOptions, audio: Audio): TranscriptionRequest {
  return { ...options, audio }
}

function decodeForm(value: JsonValue | undefined): TranscriptForm {
  if (!isDefined(value)) return "json"
  const form = FORMS.find((known) => known === value)
  if (form === undefined) throw unsupportedValue("response_format", shown(value), FORMS)
  return form
}

function decodeGranularities(
  value: JsonValue | undefined,
  form: TranscriptForm,
): readonly ("word" | "segment")[] {
  if (!Array.isArray(value) || value.length === 0) return []
  const found = value.map((one) => {
    const known = GRANULARITIES.find((granularity) => granularity === one)
    if (known === undefined) {
      throw unsupportedValue("timestamp_granularities", shown(one), GRANULARITIES)
    }
    return known
  })
  if (form === "verbose_json" || form === "diarized_json") return [...new Set(found)]
  throw invalidValue(
    "timestamp_granularities",
    "'timestamp_granularities' is only accepted together with response_format 'verbose_json'.",
  )
}

let names: Intl.DisplayNames | undefined

/** Returns the English name of a language; undefined for an unknown code. @throws RangeError for a malformed code. */
function nameOf(code: string): string | undefined {
  // The names are loaded on first use, because loading takes a few milliseconds.
  names ??= new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })
  return names.of(code)
}

/** Languages of Whisper whose codes are not in ISO 639-1. */
const FURTHER = new Set(["haw", "yue"])

function decodeLanguage(language: string | undefined): string | undefined {
  if (language === undefined) return undefined
  const code = language.toLowerCase()
  const isKnown = FURTHER.has(code) || (/^[a-z]{2}$/.test(code) && nameOf(code) !== undefined)
  if (isKnown) return code
  throw invalidValue(
    "language",
    `Invalid language '${language.slice(0, 50)}'. Language parameter must be specified in ISO-639-1 format.`,
  )
}

/** Returns OpenAI's name of a language, such as `english`. Unknown codes are returned unchanged. */
export function languageName(language: string): string {
  if (!/^[a-z]{2,3}(-[a-z0-9]+)*$/i.test(language)) return language.toLowerCase()
  try {
    return (nameOf(language) ?? language).toLowerCase()
  } catch {
    return language
  }
}
