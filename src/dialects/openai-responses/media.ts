import { extraOf, ownFields } from "../../canon/extra.ts"
import { type JsonObject, textAt } from "../../canon/json.ts"
import { sampleRateOf, samplesAsWave } from "../../canon/audio-pieces.ts"
import type { AudioPart, ImagePart } from "../../canon/message.ts"
import { DIALECT } from "./identifiers.ts"

/** The type of an item with an image that a model generated. */
export const IMAGE_CALL = "image_generation_call"

/**
 * Converts an item with an image that a model generated to an image for all other dialects (OpenAI's OpenAPI
 * description, `ImageGenToolCall`).
 * @returns undefined for any other item, and for an item whose image only its vendor has.
 */
export function decodeImageItem(item: JsonObject): ImagePart | undefined {
  const data = item.type === IMAGE_CALL ? textAt(item, "result") : undefined
  if (data === undefined) return undefined
  const format = textAt(item, "output_format")
  const mediaType = format === undefined ? {} : { mediaType: `image/${format}` }
  const standsFor = extraOf(DIALECT, { [IMAGE_CALL]: item })
  return { type: "image", source: { type: "base64", data, ...mediaType }, standsFor }
}

/** Returns the item that an image represents; undefined for an image of another dialect. */
export function ownImageItem(image: ImagePart): JsonObject | undefined {
  return ownFields(DIALECT, image.standsFor)?.[IMAGE_CALL] as JsonObject | undefined
}

/**
 * Returns an item for an image that a model of another dialect generated; undefined if the image is not inline data.
 */
export function imageItem(id: string, { source }: ImagePart): JsonObject | undefined {
  if (source.type !== "base64") return undefined
  return { id, type: IMAGE_CALL, status: "completed", result: source.data }
}

/** Returns audio as content of a message (OpenAI's OpenAPI description, `OutputAudio`). */
export function audioContent(data: string, transcript: string): JsonObject {
  return { type: "output_audio", data, transcript }
}

/** Returns the data of audio. Samples become a WAV file, because this dialect does not name the audio format. */
export function audioData(part: AudioPart, isWhole: boolean): string {
  if (part.source.type !== "base64") return ""
  const { data } = part.source
  const rate = sampleRateOf(part)
  return rate === undefined || data === "" ? data : samplesAsWave(data, rate, isWhole)
}
