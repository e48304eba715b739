import type { Loss } from "./extra.ts"
import type { JsonObject } from "./json.ts"
import type { OperationCall, OperationFormat } from "./operation.ts"
import type { Usage } from "./usage.ts"

/**
 * Audio formats that a caller can request. `pcm` is 24 kHz, one channel, signed 16 bits,
 * little-endian (docs/contribute/wire/speech.md#f1).
 */
export const SOUND_FORMS = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const

export type SoundForm = (typeof SOUND_FORMS)[number]

/** A request to speak a text. */
export interface SpeechRequest {
  readonly model: string
  readonly input: string
  /** A voice name, or the id of a custom voice. */
  readonly voice: string | { readonly id: string }
  readonly form: SoundForm
  readonly speed?: number
  /** Instructions for the style of speech. */
  readonly instructions?: string
  /** Whether the audio is sent inside events. */
  readonly events: boolean
  /** Whether the price depends on tokens, which some vendors report only on request. */
  readonly needsTokens: boolean
  /** Maximum output tokens, which the hold of the request covers. Absent if the request is not priced by tokens. */
  readonly maxOutput?: number
  /** Unknown fields. */
  readonly extra?: JsonObject
}

/** The complete audio of a response. */
export interface Spoken {
  readonly sound: Uint8Array<ArrayBuffer>
  /** Samples per second if the audio is PCM. */
  readonly rate?: number
  readonly usage?: Usage
}

/** How a vendor sends audio. */
export type SpeechDelivery =
  /** The audio is sent as bytes while it is generated. */
  | { readonly type: "sound" }
  /** The audio is sent as bytes within OpenAI's events. The last event reports the tokens. */
  | { readonly type: "events" }
  /** The complete audio is sent in one JSON document. */
  | { readonly type: "json"; read(body: JsonObject): Spoken }

/** A speech request as it is sent to one vendor. */
export interface EncodedSpeech {
  readonly call: OperationCall
  /**
   * The format requested from the vendor. It differs from the caller's if the vendor lacks that format: wav for pcm, or
   * pcm for wav.
   */
  readonly form: SoundForm
  readonly delivery: SpeechDelivery
  readonly losses: readonly Loss[]
}

/** Encodes speech requests for one family of vendors. */
export interface SpeechFormat extends Pick<
  OperationFormat<SpeechRequest, Spoken>,
  "decodeError" | "usageIn"
> {
  /** Whether the vendor's models follow instructions within the text, such as to wait for a minute. */
  readonly readsDirections?: boolean
  /**
   * Returns the number of characters that the vendor bills, if its response reports them. With some voices, a character
   * costs as much as several.
   * @param model the vendor's own name for the model.
   */
  billedCharacters?(headers: Pick<Headers, "get">, model: string): number | undefined
  /**
   * Encodes a request for a model.
   * @param model the vendor's own name for the model.
   * @throws GatewayError if the vendor does not offer such audio.
   */
  encode(request: SpeechRequest, model: string): EncodedSpeech
}

/** Samples per second of PCM audio that callers receive. */
export const PCM_RATE = 24_000

/** Returns the name or the id of the requested voice. */
export function voiceName({ voice }: SpeechRequest): string {
  return typeof voice === "string" ? voice : voice.id
}

/** Returns the number of Unicode code points, which vendors bill as characters. */
export function characterCount(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
