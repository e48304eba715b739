import type { ImageRequest, ImageFile, ImageSize } from "../../canon/image.ts"
import { invalidValue, missingParameter } from "../../canon/invalid-request.ts"
import { isDefined, type JsonObject, type JsonValue } from "../../canon/json.ts"
import type { Audio, AudioContainer } from "../../canon/transcription.ts"
import type { ImageParameters } from "../../dialects/image/request.ts"
import { describedAudio } from "../../media/audio-file.ts"

/**
 * An estimate contains no files. The body describes them instead: audio as `{ "format": "mp3", "bytes": 1000 }`, an
 * image as `{ "width": 1024 }`.
 */

const CONTAINERS: readonly AudioContainer[] = ["flac", "mp3", "mp4", "mpeg", "ogg", "wav", "webm"]

/** Removes the files from a form's fields, because the decoders of fields do not support files. */
export function withoutFiles(body: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

/**
 * Reads the description of an audio file.
 * @throws GatewayError
 */
export function readDescribedAudio(file: JsonValue | undefined): Audio {
  if (file === undefined || file === null) throw missingParameter("file")
  const { format, bytes, seconds } = objectOf("file", file)
  const container = CONTAINERS.find((known) => known === format)
  if (container === undefined) {
    throw invalidValue(
      "file.format",
      `Describe the audio: 'file.format' must be one of ${CONTAINERS.join(", ")}.`,
    )
  }
  return describedAudio({
    container,
    bytes: quantityOf("file.bytes", bytes),
    seconds: seconds === undefined ? undefined : quantityOf("file.seconds", seconds),
  })
}

/**
 * Adds the described source images to the parameters of an edit or a variation.
 * @throws GatewayError
 */
export function withDescribedImages(parameters: ImageParameters, body: JsonObject): ImageRequest {
  const { task, size } = parameters
  const described = Array.isArray(body["image"]) ? body["image"] : [body["image"]]
  const sizes = described.map((image) => sizeOf("image", image))
  const hasMask = isDefined(body["mask"])
  return {
    ...parameters,
    images: sizes.map(() => STAND_IN),
    ...(task === "edit" && { size: size ?? sizes[0] ?? "auto" }),
    ...(task === "edit" && hasMask && { mask: STAND_IN }),
  }
}

/** The placeholder for an image that is only described. */
const STAND_IN: ImageFile = { bytes: new Uint8Array(), mediaType: "image/png" }

/** Returns the described size. If the height is missing, the image is square. */
function sizeOf(name: string, image: JsonValue | undefined): ImageSize {
  if (image === undefined || image === null) throw missingParameter(name)
  const described = objectOf(name, image)
  const width = quantityOf(`${name}.width`, described["width"])
  const { height } = described
  return { width, height: isDefined(height) ? quantityOf(`${name}.height`, height) : width }
}

function objectOf(name: string, value: JsonValue): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  throw invalidValue(
    name,
    `An estimate accepts no files. Describe '${name}' with an object (see the documentation).`,
  )
}

function quantityOf(name: string, value: JsonValue | undefined): number {
  if (typeof value === "number" && value > 0 && Number.isFinite(value)) return value
  throw invalidValue(name, `'${name}' must be a number above zero.`)
}
