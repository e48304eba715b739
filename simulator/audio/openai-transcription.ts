import type { Exchange } from "../exchange.ts"
import type { Fault } from "../faults.ts"
import { readForm, type SentForm } from "../form.ts"
import type { JsonObject } from "../json.ts"
import { credentialError, invalid, reject, type VendorError } from "../openai-chat/errors.ts"
import { vendorResponse } from "../openai-chat/headers.ts"
import { dueFault, wholeBody } from "../play.ts"
import { bodyOf, streamSteps } from "../stream.ts"
import { countTokens } from "../tokens.ts"
import { type Recognition, recognize } from "./recognition.ts"
import { playFault } from "./openai-speech.ts"

type Task = "transcribe" | "translate"

const FIELDS: ReadonlySet<string> = new Set(
  "model language prompt response_format temperature timestamp_granularities[] keywords[] languages[] stream include[] chunking_strategy known_speaker_names[] known_speaker_references[] diarize".split(
    " ",
  ),
)

/** Returns the formats that a model supports (docs/contribute/wire/transcription.md#f2). */
function formsOf(model: string): readonly string[] {
  if (model.includes("diarize")) return ["json", "text", "diarized_json"]
  return model.startsWith("gpt-") ? ["json"] : ["json", "text", "srt", "verbose_json", "vtt"]
}

/**
 * Answers `POST /v1/audio/transcriptions` and `/translations` in OpenAI's form, or, depending on the model's name, in
 * Mistral's form.
 */
export async function answerTranscription(exchange: Exchange, task: Task): Promise<Response> {
  const form = await readForm(exchange)
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  if (form === undefined)
    return reject(exchange, invalid("Could not parse multipart form", null, null))
  const { fields } = form
  const model = fields["model"] ?? ""
  const fault = dueFault(exchange, model, fields["prompt"] ?? "")
  if (fault === "unknown") return reject(exchange, invalid("unknown fault", null, "unknown_fault"))
  const played = fault === undefined ? undefined : await playFault(exchange, fault, model)
  if (played !== undefined) return played
  const wrong = faultOf(form, task)
  if (wrong !== undefined) return reject(exchange, wrong)
  const recognition = recognize(
    form.files[0]?.bytes ?? new Uint8Array(),
    task === "translate" ? "In English, a sound" : "A sound",
  )
  if (fields["stream"] === "true" && model.startsWith("gpt-"))
    return answerEvents(exchange, recognition, fault)
  const body = model.startsWith("voxtral-")
    ? mistralBody(form, recognition)
    : bodyOfForm(form, recognition, { task, fault })
  return vendorResponse(wholeBody(exchange, JSON.stringify(body), fault), "json")
}

function faultOf({ fields, files }: SentForm, task: Task): VendorError | undefined {
  const unknown = Object.keys(fields).find((name) => !FIELDS.has(name))
  if (unknown !== undefined)
    return invalid(`Unknown parameter: '${unknown}'.`, unknown, "unknown_parameter")
  const [file] = files
  if (files.length !== 1 || file?.field !== "file") return invalid("file is required", "file", null)
  if (!/\.(flac|mp3|mp4|mpeg|mpga|m4a|ogg|wav|webm)$/.test(file.name)) {
    return invalid("Unrecognized file format.", "file", "unsupported_value")
  }
  const model = fields["model"] ?? ""
  const form = fields["response_format"] ?? "json"
  if (!formsOf(model).includes(form)) {
    const message = `response_format '${form}' is not compatible with model '${model}'.`
    return invalid(message, "response_format", "unsupported_value")
  }
  const isOther =
    task === "translate" && (model.startsWith("gpt-") || fields["language"] !== undefined)
  return isOther ? invalid("This model does not translate.", "model", null) : undefined
}

interface TaskOptions {
  readonly task: Task
  readonly fault: Fault | undefined
}

function bodyOfForm(
  { fields }: SentForm,
  recognition: Recognition,
  { task, fault }: TaskOptions,
): JsonObject {
  const { text, duration } = recognition
  const model = fields["model"] ?? ""
  const usage = fault?.name === "no-usage" ? {} : { usage: usageOf(model, recognition) }
  switch (fields["response_format"]) {
    case "verbose_json":
      return {
        task,
        language: "english",
        duration,
        text,
        ...verbose(fields, recognition),
        ...usage,
      }
    case "diarized_json": {
      const segments = recognition.segments.map((segment, index) => ({
        type: "transcript.text.segment",
        ...segment,
        speaker: index === 0 ? "A" : "B",
        id: `seg_${index}`,
      }))
      return { text, task, duration, segments, ...usage }
    }
    default:
      return { text, ...usage }
  }
}

function verbose(fields: SentForm["fields"], recognition: Recognition): JsonObject {
  const asked = (fields["timestamp_granularities[]"] ?? "segment").split(",")
  const segments = recognition.segments.map(({ text, start, end }, id) => ({
    id,
    seek: 0,
    start,
    end,
    text: ` ${text}`,
    tokens: [50_364, 50_364 + id],
    temperature: Number(fields["temperature"] ?? 0),
    avg_logprob: -0.28,
    compression_ratio: 1.2,
    no_speech_prob: 0.01,
  }))
  const words = recognition.words.map(({ text, start, end }) => ({ word: text, start, end }))
  return {
    ...(asked.includes("word") && { words }),
    ...(asked.includes("segment") && { segments }),
  }
}

function usageOf(model: string, { text, duration }: Recognition): JsonObject {
  if (!model.startsWith("gpt-")) return { type: "duration", seconds: Math.ceil(duration) }
  const audio = Math.round(duration * 10)
  const output = countTokens(text)
  return {
    type: "tokens",
    total_tokens: audio + output,
    input_tokens: audio,
    input_token_details: { text_tokens: 0, audio_tokens: audio },
    output_tokens: output,
  }
}

/** Returns a response in the only form that Mistral has (recorded). */
function mistralBody({ fields }: SentForm, recognition: Recognition): JsonObject {
  const isTimed = fields["timestamp_granularities[]"] === "segment"
  const segments = recognition.segments.map((segment, index) => ({
    type: "transcription_segment",
    ...segment,
    speaker_id: fields["diarize"] === "true" ? `speaker_${index + 1}` : null,
  }))
  const completion = countTokens(recognition.text)
  return {
    model: fields["model"],
    text: recognition.text,
    language: null,
    segments: isTimed ? segments : [],
    usage: {
      prompt_audio_seconds: Math.floor(recognition.duration),
      prompt_tokens: 5,
      total_tokens: 5 + 375 + completion,
      completion_tokens: completion,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 375 },
    },
    finish_reason: null,
  }
}

/** Returns the response as events with CRLF and `[DONE]` (recorded). */
function answerEvents(
  exchange: Exchange,
  recognition: Recognition,
  fault: Fault | undefined,
): Response {
  const { text } = recognition
  const deltas = text.split(/(?= )/).map((delta) => frame({ type: "transcript.text.delta", delta }))
  const done = { type: "transcript.text.done", text, usage: usageOf("gpt-", recognition) }
  const script = {
    opening: [],
    body: deltas,
    closing: [frame(done)],
    end: "data: [DONE]\r\n\r\n",
    errorFrame: frame({ error: { message: "The server had an error", type: "server_error" } }),
    brokenFrame: 'data: {"type":"transcript.te\r\n\r\n',
  }
  return vendorResponse(bodyOf(exchange, streamSteps(script, exchange.cadence, fault)), "stream")
}

function frame(event: object): string {
  return `data: ${JSON.stringify(event)}\r\n\r\n`
}
