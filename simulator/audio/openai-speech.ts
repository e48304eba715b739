import type { Exchange } from "../exchange.ts"
import type { Fault } from "../faults.ts"
import { isObject, type JsonObject, objectOf, stringOf } from "../json.ts"
import { unknownField } from "../json-operation.ts"
import {
  credentialError,
  faultError,
  invalid,
  reject,
  type VendorError,
} from "../openai-chat/errors.ts"
import { vendorResponse } from "../openai-chat/headers.ts"
import { dueFault } from "../play.ts"
import { bodyOf, type Step } from "../stream.ts"
import { countTokens } from "../tokens.ts"
import { playTransportFault } from "../transport-faults.ts"
import { CONTENT_TYPES, type Form, FORMS, sound, spokenSeconds, wholeSound } from "./sound.ts"

const FIELDS = [
  "model",
  "input",
  "voice",
  "response_format",
  "speed",
  "instructions",
  "stream_format",
]
const VOICES =
  "alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar autumn troy".split(
    " ",
  )

/** Tokens per second of speech. */
const TOKENS_PER_SECOND = 21

/** Injects a fault. Returns undefined if the request continues. */
export async function playFault(
  exchange: Exchange,
  fault: Fault,
  model: string,
): Promise<Response | undefined> {
  const transported = await playTransportFault(exchange, fault)
  if (transported !== undefined) return transported
  const error = fault.name === "stream-error" ? undefined : faultError(fault.name, model)
  return error === undefined ? undefined : reject(exchange, error)
}

/**
 * Answers `POST /v1/audio/speech` (docs/contribute/wire/speech.md#f1) in OpenAI's form, or, depending on the model's
 * name, in Groq's or Mistral's form.
 */
export async function answerSpeech(exchange: Exchange): Promise<Response> {
  const body = await exchange.readBody()
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  if (!isObject(body))
    return reject(exchange, invalid("The body is not a JSON object.", null, null))
  const model = stringOf(body.model)
  const fault = dueFault(exchange, model, stringOf(body.input))
  if (fault === "unknown") return reject(exchange, invalid("unknown fault", null, "unknown_fault"))
  const played = fault === undefined ? undefined : await playFault(exchange, fault, model)
  if (played !== undefined) return played
  const wrong = faultOf(body, model)
  if (wrong !== undefined) return reject(exchange, wrong)
  const form = (stringOf(body.response_format) || "mp3") as Form
  const asked = { text: stringOf(body.input), form, seconds: secondsOf(body) }
  if (model.startsWith("voxtral-")) {
    const data = Buffer.from(wholeSound(asked.form, asked.seconds)).toString("base64")
    exchange.finish()
    return vendorResponse(JSON.stringify({ audio_data: data }), "json")
  }
  return body.stream_format === "sse"
    ? answerEvents(exchange, asked, fault)
    : answerSound(exchange, asked, fault)
}

interface Asked {
  readonly text: string
  readonly form: Form
  readonly seconds: number
}

function secondsOf(body: JsonObject): number {
  return spokenSeconds(stringOf(body.input), typeof body.speed === "number" ? body.speed : 1)
}

function faultOf(body: JsonObject, model: string): VendorError | undefined {
  const unknown = unknownField(body, FIELDS)
  if (unknown !== undefined)
    return invalid(`Unknown parameter: '${unknown}'.`, unknown, "unknown_parameter")
  const voice = stringOf(body.voice) || stringOf(objectOf(body.voice).id)
  const isKnown = VOICES.includes(voice) || voice.startsWith("voice_") || voice.includes("_")
  if (!isKnown) {
    const values = VOICES.map((name) => `'${name}'`).join(", ")
    return invalid(`Input should be ${values}`, "voice", "invalid_value")
  }
  const form = stringOf(body.response_format) || "mp3"
  const forms: readonly string[] = model.includes("orpheus") ? ["wav"] : FORMS
  if (!forms.includes(form)) {
    return invalid(`response_format must be one of [${forms.join(" ")}]`, "response_format", null)
  }
  if (body.stream_format === "sse" && model.startsWith("tts-1")) {
    return invalid("stream_format 'sse' is not supported for this model.", "stream_format", null)
  }
  return undefined
}

/** Returns the chunks of a sound, with the faults that interrupt a stream. */
export function soundSteps(chunks: readonly Uint8Array[], fault: Fault | undefined): Step[] {
  const middle = Math.ceil(chunks.length / 2)
  if (fault?.name === "cut") return [...chunks.slice(0, middle), { wait: 20 }, "cut-now"]
  if (fault?.name === "stall")
    return [...chunks.slice(0, middle), { wait: fault.amount }, ...chunks.slice(middle)]
  if (fault?.name === "slow-first-byte") return [{ wait: fault.amount }, ...chunks]
  return [...chunks]
}

function answerSound(
  exchange: Exchange,
  { form, seconds }: Asked,
  fault: Fault | undefined,
): Response {
  const steps = soundSteps(sound(form, seconds), fault)
  const response = vendorResponse(bodyOf(exchange, waiting(steps, exchange.cadence)), "json")
  response.headers.set("content-type", CONTENT_TYPES[form])
  return response
}

function* waiting(steps: readonly Step[], cadence: number): Generator<Step> {
  for (const step of steps) {
    yield step
    if (cadence > 0) yield { wait: cadence }
  }
}

function answerEvents(
  exchange: Exchange,
  { form, seconds, text }: Asked,
  fault: Fault | undefined,
): Response {
  const input = countTokens(text)
  const output = Math.ceil(seconds * TOKENS_PER_SECOND)
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output }
  const deltas = sound(form, seconds).map((chunk) =>
    event({ type: "speech.audio.delta", audio: Buffer.from(chunk).toString("base64") }),
  )
  const done = event({ type: "speech.audio.done", ...(fault?.name !== "no-usage" && { usage }) })
  const steps = soundSteps(deltas, fault)
  const failed = Buffer.from(
    'data: {"error":{"message":"The server had an error","type":"server_error"}}\n\n',
  )
  const end = fault?.name === "stream-error" ? [failed] : fault?.name === "no-finish" ? [] : [done]
  return vendorResponse(bodyOf(exchange, [...steps, ...end]), "stream")
}

function event(content: object): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(content)}\n\n`)
}
