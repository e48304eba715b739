import type { FormFile } from "./form-file.ts"
import type { JsonObject } from "./json.ts"
import type { EncodedOperation, OperationResponse, OperationFormat } from "./operation.ts"
import { NO_USAGE, type Usage } from "./usage.ts"

/** Accepted audio containers, detected by content (docs/use/endpoints.md#audio). */
export type AudioContainer = "flac" | "mp3" | "mp4" | "mpeg" | "ogg" | "wav" | "webm"

/** An audio file of a request, with the properties detected from its bytes. */
export interface Audio {
  readonly container: AudioContainer
  readonly mediaType: string
  readonly file: FormFile
  /**
   * Duration, as exactly as possible without decoding. It is always within the bounds derived from the size of the
   * file.
   */
  readonly seconds: number
  /** Upper bound of the duration in seconds. */
  readonly maxSeconds: number
}

/** The requested output: a transcript in the spoken language, or an English translation. */
export type TranscriptionTask = "transcribe" | "translate"

export const TRANSCRIPT_FORMS = ["json", "text", "srt", "verbose_json", "vtt"] as const

/** The requested format. `diarized_json` is OpenAI's format with separate speakers. */
export type TranscriptForm = (typeof TRANSCRIPT_FORMS)[number] | "diarized_json"

export interface TranscriptionRequest {
  readonly model: string
  readonly task: TranscriptionTask
  readonly audio: Audio
  /** ISO 639-1 code; if absent, the model detects the language. */
  readonly language?: string
  readonly prompt?: string
  readonly temperature?: number
  readonly form: TranscriptForm
  readonly granularities: readonly ("word" | "segment")[]
  /** Whether the caller requested the transcript as events while it is generated. */
  readonly stream: boolean
  /** Maximum output tokens, which the hold of the request covers. Absent in requests as they arrive. */
  readonly maxOutput?: number
  /** Unknown fields. */
  readonly extra?: JsonObject
}

/** A segment of speech. Times are in seconds from the beginning. */
export interface TranscriptSegment {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly speaker?: string
}

export interface TranscriptWord {
  readonly start: number
  readonly end: number
  readonly word: string
}

/** The quantities that the vendor counted. */
export interface TranscriptUsage {
  readonly seconds?: number
  readonly tokens?: TranscriptTokens
}

export function usageOfTranscript({ seconds = 0, tokens }: TranscriptUsage): Usage {
  const { text = 0, audio = 0, output = 0, reasoning = 0 } = tokens ?? {}
  return { ...NO_USAGE, seconds, inputFresh: text, audioInput: audio, output, reasoning }
}

export interface TranscriptTokens {
  readonly text: number
  readonly audio: number
  readonly output: number
  /** The part of the output tokens that is reasoning. */
  readonly reasoning?: number
}

export interface Transcript {
  readonly text: string
  /** The language as the vendor names it, by a code or a word. */
  readonly language?: string
  /** Duration in seconds. */
  readonly duration?: number
  /** The segments; absent if the vendor reports no times. */
  readonly segments?: readonly TranscriptSegment[]
  readonly words?: readonly TranscriptWord[]
  readonly usage: TranscriptUsage
  /** The response body of a vendor with OpenAI's format, if it is in the requested form. */
  readonly body?: JsonObject
}

/** Encodes and decodes transcriptions for one family of vendors. */
export interface TranscriptionFormat extends Pick<
  OperationFormat<TranscriptionRequest, Transcript>,
  "decodeError" | "usageIn"
> {
  /**
   * Reports whether the model can translate speech into English.
   * @param model the vendor's own name for the model.
   */
  translates(model: string): boolean
  /** Whether the calls of this format limit the output to `maxOutput`. */
  readonly limitsOutput?: boolean
  /**
   * Builds the upstream call. Some vendors accept audio only as text, so the file has to be read.
   * @param model the vendor's own name for the model.
   * @throws GatewayError if the vendor does not support the request.
   */
  encode(request: TranscriptionRequest, model: string): EncodedOperation | Promise<EncodedOperation>
  /**
   * Decodes the vendor's response.
   * @throws GatewayError `upstream_error`.
   */
  decode(response: OperationResponse, request: TranscriptionRequest): Transcript
}
