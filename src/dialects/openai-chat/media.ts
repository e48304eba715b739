import type { SpeechOptions } from "../../canon/chat.ts"
import { sampleRateOf, samplesAsWave } from "../../canon/audio-pieces.ts"
import { type Extra, extraOf, ownFields } from "../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  textAt,
} from "../../canon/json.ts"
import { decodeDataUrl, isWebUrl } from "../../canon/media-source.ts"
import type { AudioPart, ImagePart } from "../../canon/message.ts"
import type { Writable } from "../../canon/writable.ts"
import { mintId } from "../shared/identifiers.ts"
import { checkImages } from "../shared/choices.ts"
import { encodeImageUrl } from "../shared/media.ts"
import { nowInSeconds } from "../shared/time.ts"
import { DIALECT } from "./identifiers.ts"

/**
 * Returns the images of an assistant's message in OpenRouter's form (`images: [{type: "image_url", image_url:
 * {url}}]`).
 * @returns undefined if the member is absent, empty or of another form.
 */
export function imagesIn({ images }: JsonObject): ImagePart[] | undefined {
  if (!Array.isArray(images) || images.length === 0) return undefined
  checkImages(images.length)
  const parts = images.map(decodeImage)
  return parts.every((part) => part !== undefined) ? parts : undefined
}

/** Decodes an image that the model generated; undefined if its address is neither a link nor data. */
export function decodeImage(image: JsonValue): ImagePart | undefined {
  if (!isJsonObject(image)) return undefined
  const { image_url: address } = image
  const url = isJsonObject(address) ? textAt(address, "url") : address
  if (typeof url !== "string") return undefined
  const source = isWebUrl(url) ? ({ type: "url", url } as const) : decodeDataUrl(url)
  return source === undefined ? undefined : { type: "image", source }
}

/**
 * Encodes images in OpenRouter's form.
 * @param first the position of the first image in its message.
 */
export function encodeImages(images: readonly ImagePart[], first = 0): JsonObject[] {
  return images.flatMap(({ source }, index) => {
    const url = encodeImageUrl(source)
    return url === undefined
      ? []
      : [{ type: "image_url", image_url: { url }, index: first + index }]
  })
}

/** Media types of the audio formats that OpenAI offers. */
const AUDIO_TYPES: Readonly<Record<string, string>> = {
  wav: "audio/wav",
  mp3: "audio/mpeg",
  flac: "audio/flac",
  opus: "audio/opus",
  aac: "audio/aac",
  pcm16: "audio/L16;codec=pcm;rate=24000",
}
const AUDIO_FIELDS = new Set(["data", "transcript"])

/**
 * Decodes audio that the model spoke, or a piece of it.
 * @param speech the requested audio format.
 */
export function decodeAudio(audio: JsonObject, speech: SpeechOptions | undefined): AudioPart {
  const format = speech?.format ?? "wav"
  const mediaType = AUDIO_TYPES[format]
  const part: Writable<AudioPart> = {
    type: "audio",
    source: {
      type: "base64",
      data: textAt(audio, "data") ?? "",
      ...(mediaType !== undefined && { mediaType }),
    },
    format,
  }
  const transcript = textAt(audio, "transcript")
  if (transcript !== undefined) part.transcript = transcript
  const own = Object.entries(audio).filter(([name]) => !AUDIO_FIELDS.has(name))
  if (own.length > 0) part.extra = extraOf(DIALECT, { audio: Object.fromEntries(own) })
  return part
}

/** Returns the id of audio and its expiry time as the vendor sent them. The gateway does not store audio. */
function ownAudio(extra: Extra | undefined): JsonObject {
  return objectAt(ownFields(DIALECT, extra) ?? {}, "audio") ?? {}
}

/**
 * Encodes the audio of a whole message. Samples without a header become a WAV file, unless the caller requested
 * samples.
 */
export function encodeAudio(part: AudioPart, speech: SpeechOptions | undefined): JsonObject {
  return {
    id: mintId(AUDIO_ID),
    data: audioData(part, speech, "whole"),
    expires_at: nowInSeconds(),
    transcript: part.transcript ?? "",
    ...ownAudio(part.extra),
  }
}

const AUDIO_ID = "audio_"

/** The position of a piece in the audio. */
type Piece = "whole" | "first" | "later"

function audioData(part: AudioPart, speech: SpeechOptions | undefined, piece: Piece): string {
  if (part.source.type !== "base64") return ""
  const { data } = part.source
  const rate = sampleRateOf(part)
  // OpenAI streams only samples, so a header is added to a stream only if the caller requested `wav`.
  const isWanted = piece === "whole" ? speech?.format !== "pcm16" : speech?.format === "wav"
  if (rate === undefined || data === "" || piece === "later" || !isWanted) return data
  return samplesAsWave(data, rate, piece === "whole")
}

/** Writes the audio of one choice of a stream, piece by piece. */
export class WrittenAudio {
  readonly #speech: SpeechOptions | undefined
  readonly #id = mintId(AUDIO_ID)
  #hasData = false

  constructor(speech: SpeechOptions | undefined) {
    this.#speech = speech
  }

  /** Returns the delta of one piece. */
  piece(part: AudioPart): JsonObject {
    const data = audioData(part, this.#speech, this.#hasData ? "later" : "first")
    if (data !== "") this.#hasData = true
    return {
      id: this.#id,
      ...(data !== "" && { data }),
      ...(part.transcript !== undefined && { transcript: part.transcript }),
      ...ownAudio(part.extra),
    }
  }
}
