import type { FormFile } from "./form-file.ts"
import type { JsonObject } from "./json.ts"
import type { EncodedOperation, OperationAnswer, OperationFormat } from "./operation.ts"

/** The audio containers that are accepted, detected by their content (docs/api.md#audio). */
export type AudioContainer = "flac" | "mp3" | "mp4" | "mpeg" | "ogg" | "wav" | "webm"

/** An audio file from a request, as its bytes describe it. */
export interface Audio {
  readonly container: AudioContainer
  readonly mediaType: string
  readonly file: FormFile
  /** Seconds, as exactly as possible without decoding; always within the bounds that its bytes allow. */
  readonly seconds: number
  /** The longest it can be. */
  readonly maxSeconds: number
}

/** What is written: the words that were spoken, or their English translation. */
export type TranscriptionTask = "transcribe" | "translate"

export const TRANSCRIPT_FORMS = ["json", "text", "srt", "verbose_json", "vtt"] as const

/** The format that the caller wants; `diarized_json` is OpenAI's, with the speakers told apart. */
export type TranscriptForm = (typeof TRANSCRIPT_FORMS)[number] | "diarized_json"

/** A request to transcribe an audio file. */
export interface TranscriptionRequest {
  readonly model: string
  readonly task: TranscriptionTask
  readonly audio: Audio
  /** ISO 639-1. Absent: it is to be found out. */
  readonly language?: string
  readonly prompt?: string
  readonly temperature?: number
  readonly form: TranscriptForm
  readonly granularities: readonly ("word" | "segment")[]
  /** Whether the caller wants it as events while it is made. */
  readonly stream: boolean
  /** Fields without a name here. */
  readonly extra?: JsonObject
}

/** A stretch of speech. Times are seconds from the beginning. */
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

export interface TranscriptTokens {
  readonly text: number
  readonly audio: number
  readonly output: number
}

/** The result of a transcription. */
export interface Transcript {
  readonly text: string
  /** As the vendor names it: a code or a word. */
  readonly language?: string
  /** Seconds. */
  readonly duration?: number
  /** Absent where the vendor gives no times. */
  readonly segments?: readonly TranscriptSegment[]
  readonly words?: readonly TranscriptWord[]
  readonly usage: TranscriptUsage
  /** The body of a vendor with OpenAI's format, where it is in the form that the caller requested. */
  readonly body?: JsonObject
}

/** How one family of vendors transcribes. */
export interface TranscriptionFormat extends Pick<
  OperationFormat<TranscriptionRequest, Transcript>,
  "decodeError"
> {
  /**
   * Whether it can translate speech into English.
   * @param model the vendor's own name for it.
   */
  translates(model: string): boolean
  /**
   * One call. Some vendors accept audio only as text, for which the file has to be read.
   * @param model the vendor's own name for it.
   * @throws GatewayError when the vendor cannot do it at all.
   */
  encode(request: TranscriptionRequest, model: string): EncodedOperation | Promise<EncodedOperation>
  /** @throws GatewayError `upstream_error`. */
  decode(answer: OperationAnswer, request: TranscriptionRequest): Transcript
}
