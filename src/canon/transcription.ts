import type { FormFile } from "./form-file.ts"
import type { JsonObject } from "./json.ts"
import type { EncodedOperation, OperationAnswer, OperationFormat } from "./operation.ts"

/** The containers of sound that are taken, told by their content (docs/api.md#audio). */
export type AudioContainer = "flac" | "mp3" | "mp4" | "mpeg" | "ogg" | "wav" | "webm"

/** A sound that came in, as its bytes say. */
export interface Audio {
  readonly container: AudioContainer
  readonly mediaType: string
  readonly file: FormFile
  /** Seconds, as well as they can be told without decoding; never outside of what its bytes allow. */
  readonly seconds: number
  /** The longest it can be. */
  readonly maxSeconds: number
}

/** What is written down: what was said, or what it means in English. */
export type TranscriptionTask = "transcribe" | "translate"

export const TRANSCRIPT_FORMS = ["json", "text", "srt", "verbose_json", "vtt"] as const

/** How the caller wants it; `diarized_json` is OpenAI's, with the speakers told apart. */
export type TranscriptForm = (typeof TRANSCRIPT_FORMS)[number] | "diarized_json"

/** A request to write a sound down. */
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

/** What the vendor counted. */
export interface TranscriptUsage {
  readonly seconds?: number
  readonly tokens?: TranscriptTokens
}

export interface TranscriptTokens {
  readonly text: number
  readonly audio: number
  readonly output: number
}

/** What was heard. */
export interface Transcript {
  readonly text: string
  /** As the vendor names it: a code or a word. */
  readonly language?: string
  /** Seconds. */
  readonly duration?: number
  /** Absent where the vendor does not tell times. */
  readonly segments?: readonly TranscriptSegment[]
  readonly words?: readonly TranscriptWord[]
  readonly usage: TranscriptUsage
  /** The body of a vendor with OpenAI's form, where it is in the form that the caller asked for. */
  readonly body?: JsonObject
}

/** How one family of vendors writes sounds down. */
export interface TranscriptionFormat extends Pick<
  OperationFormat<TranscriptionRequest, Transcript>,
  "decodeError"
> {
  /**
   * Whether it can be asked for what was said in English.
   * @param model the vendor's own name for it.
   */
  translates(model: string): boolean
  /**
   * One call. Some vendors take a sound only as text, for which it has to be read.
   * @param model the vendor's own name for it.
   * @throws GatewayError when the vendor cannot do it at all.
   */
  encode(request: TranscriptionRequest, model: string): EncodedOperation | Promise<EncodedOperation>
  /** @throws GatewayError `upstream_error`. */
  decode(answer: OperationAnswer, request: TranscriptionRequest): Transcript
}
