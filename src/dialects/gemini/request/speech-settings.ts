import type { ChatRequest, SpeechOptions } from "../../../canon/chat.ts"
import { extraOf } from "../../../canon/extra.ts"
import { type JsonObject, objectAt, textAt } from "../../../canon/json.ts"
import type { Modality } from "#contract/model-rules.ts"
import type { LossList } from "../../shared/losses.ts"
import { DIALECT } from "../identifiers.ts"

/** The voice for a request without a voice, as in Google's examples. */
const DEFAULT_VOICE = "Kore"

const MODALITIES: readonly Modality[] = ["text", "image", "audio"]

/**
 * Returns the modalities of the response; undefined if the caller lets the model decide, or names unsupported
 * modalities.
 */
export function decodeModalities(config: JsonObject): Modality[] | undefined {
  const { responseModalities: listed } = config
  if (!Array.isArray(listed) || listed.length === 0) return undefined
  const named = listed.map((name) =>
    MODALITIES.find((known) => known === String(name).toLowerCase()),
  )
  const known = named.filter((name) => name !== undefined)
  return known.length === named.length ? known : undefined
}

/** Returns the voice of the response. Settings other than a single voice are kept unchanged. */
export function decodeSpeech(config: JsonObject): SpeechOptions | undefined {
  const speech = objectAt(config, "speechConfig")
  if (speech === undefined) return undefined
  const prebuilt = objectAt(objectAt(speech, "voiceConfig") ?? {}, "prebuiltVoiceConfig")
  const voice = prebuilt === undefined ? undefined : textAt(prebuilt, "voiceName")
  const isVoiceAlone =
    voice !== undefined && JSON.stringify(speech) === JSON.stringify(speechConfigOf(voice))
  return {
    ...(voice !== undefined && { voice }),
    ...(!isVoiceAlone && { extra: extraOf(DIALECT, { speechConfig: speech }) }),
  }
}

/** Sets the modalities of the response, and its voice, in `generationConfig`. */
export function encodeModalities(
  config: JsonObject,
  { modalities, speech }: ChatRequest,
  losses: LossList,
): void {
  if (modalities !== undefined) {
    config.responseModalities = modalities.map((name) => name.toUpperCase())
  }
  if (modalities?.includes("audio") !== true && speech === undefined) return
  const own = losses.fieldsOf(speech?.extra)
  if (own !== undefined) Object.assign(config, own)
  else config.speechConfig = speechConfigOf(speech?.voice ?? DEFAULT_VOICE)
  if (!isWritten(speech?.format)) losses.add("audio.format", "approximated")
}

/**
 * Whether the gateway can produce an audio format. Google sends samples, and the gateway can only forward them or add
 * the header of a WAV file.
 */
function isWritten(format: string | undefined): boolean {
  return format === undefined || format === "wav" || format === "pcm16"
}

function speechConfigOf(voiceName: string): JsonObject {
  return { voiceConfig: { prebuiltVoiceConfig: { voiceName } } }
}
