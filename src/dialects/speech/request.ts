import * as z from "zod"
import type { Writable } from "../../canon/writable.ts"
import { GatewayError } from "../../canon/errors.ts"
import {
  invalidType,
  invalidValue,
  missingParameter,
  unsupportedValue,
} from "../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  shown,
  textAt,
  unknownFields,
} from "../../canon/json.ts"
import {
  characterCount,
  SOUND_FORMS,
  type SoundForm,
  type SpeechRequest,
} from "../../canon/speech.ts"
import { decimal, text, parameterSchemas, validateParameters } from "../shared/parameters.ts"

/** A speech request before it is determined whether its price depends on tokens. */
export type SpeechOptions = Omit<SpeechRequest, "needsTokens">

/** The default maximum characters of a text (docs/reference/api.md#limits). */
export const MAX_INPUT_LENGTH = 4_096

const CANON_FIELDS = new Set([
  "model",
  "input",
  "voice",
  "response_format",
  "speed",
  "instructions",
  "stream_format",
])

const PARAMETERS = parameterSchemas(
  () => ({
    model: z.string(),
    input: z.string(),
    response_format: text(),
    speed: decimal({ minimum: 0.25, maximum: 4 }),
    instructions: z.string().max(4_096).nullish(),
    stream_format: text(),
  }),
  { own: CANON_FIELDS },
)

/**
 * Decodes a speech request in OpenAI's format (docs/use/endpoints.md#audio, docs/contribute/wire/speech.md#f1).
 * @throws GatewayError with OpenAI's message for the invalid field.
 */
export function decodeSpeech(body: JsonObject): SpeechOptions {
  for (const name of ["model", "input", "voice"]) {
    if (!isDefined(body[name]) || (body[name] === "" && name !== "input"))
      throw missingParameter(name)
  }
  validateParameters(body, PARAMETERS)
  const { model, speed, instructions } = body
  const options: Writable<SpeechOptions> = {
    model: model as string,
    input: decodeInput(body.input as string),
    voice: decodeVoice(body.voice),
    form: decodeForm(body.response_format),
    events: decodesEvents(textAt(body, "stream_format")),
  }
  if (typeof speed === "number") options.speed = speed
  if (typeof instructions === "string" && instructions !== "") options.instructions = instructions
  const extra = unknownFields(body, CANON_FIELDS)
  if (extra !== undefined) options.extra = extra
  return options
}

function decodeInput(input: string): string {
  if (input.trim() === "")
    throw invalidValue("input", "Invalid 'input': it has to hold text to speak.")
  return input
}

/**
 * Rejects a text that is too long for its model.
 * @param longest the model's limit in characters; default: the limit of the specification.
 * @throws GatewayError `string_above_max_length`.
 */
export function rejectLong({ input }: SpeechOptions, longest = MAX_INPUT_LENGTH): void {
  const length = characterCount(input)
  if (length <= longest) return
  throw new GatewayError(
    "string_above_max_length",
    `Invalid 'input': string too long. Expected a string with maximum length ${longest}, but got a string with length ${length} instead.`,
    { parameter: "input" },
  )
}

function decodeVoice(voice: JsonValue | undefined): SpeechRequest["voice"] {
  if (typeof voice === "string") return voice
  const id = isJsonObject(voice) ? textAt(voice, "id") : undefined
  if (id === undefined) throw invalidType("voice", "a string or an object with an id", voice)
  return { id }
}

function decodeForm(value: JsonValue | undefined): SoundForm {
  if (!isDefined(value)) return "mp3"
  const form = SOUND_FORMS.find((known) => known === value)
  if (form === undefined) throw unsupportedValue("response_format", shown(value), SOUND_FORMS)
  return form
}

function decodesEvents(form: string | undefined): boolean {
  if (form === undefined || form === "audio") return false
  if (form === "sse") return true
  throw unsupportedValue("stream_format", form, ["audio", "sse"])
}
