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
  /** A name, or the id of a custom voice. */
  readonly voice: string | { readonly id: string }
  readonly form: SoundForm
  readonly speed?: number
  /** Instructions for the style of speech. */
  readonly instructions?: string
  /** Whether the audio is sent inside events. */
  readonly events: boolean
  /** Whether the price needs tokens, which some vendors report only on request. */
  readonly needsTokens: boolean
  /** Unknown fields. */
  readonly extra?: JsonObject
}

/** The audio of a complete answer. */
export interface Spoken {
  readonly sound: Uint8Array<ArrayBuffer>
  /** Samples per second of pcm. */
  readonly rate?: number
  readonly usage?: Usage
}

/** A vendor's way of sending audio. */
export type SpeechDelivery =
  /** As bytes, while it is generated. */
  | { readonly type: "sound" }
  /** As bytes within OpenAI's events. The last event reports the tokens. */
  | { readonly type: "events" }
  /** As one JSON document. */
  | { readonly type: "json"; read(body: JsonObject): Spoken }

/** A speech request as it is sent to one vendor. */
export interface EncodedSpeech {
  readonly call: OperationCall
  /** The format requested from the vendor: the caller's, or wav for pcm and pcm for wav. */
  readonly form: SoundForm
  readonly delivery: SpeechDelivery
  readonly losses: readonly Loss[]
}

/** Encodes speech requests for one family of vendors. */
export interface SpeechFormat extends Pick<OperationFormat<SpeechRequest, Spoken>, "decodeError"> {
  /** Whether its models follow instructions within the text, such as to wait for a minute. */
  readonly readsDirections?: boolean
  /**
   * @param model the vendor's own name for it.
   * @throws GatewayError if the vendor does not offer such audio.
   */
  encode(request: SpeechRequest, model: string): EncodedSpeech
}

/** Samples per second of the pcm that callers receive. */
export const PCM_RATE = 24_000

/** Returns the name or id of the voice. */
export function voiceName({ voice }: SpeechRequest): string {
  return typeof voice === "string" ? voice : voice.id
}

/** Counts characters as people count them and vendors bill them. */
export function characterCount(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
