import { GatewayError } from "../../../canon/errors.ts"
import type { Loss } from "../../../canon/extra.ts"
import type { ImageRequest, ImageTask, ImageFile } from "../../../canon/image.ts"
import { missingParameter } from "../../../canon/invalid-request.ts"
import { isDefined, type JsonObject } from "../../../canon/json.ts"
import { encodeDataUrl } from "../../../canon/media-source.ts"
import type { OperationCall } from "../../../canon/operation.ts"
import type { OutgoingFile } from "../../../wire/encode-form.ts"

/** The prompt for a variation that is emulated by an edit. */
export const VARIATION_PROMPT =
  "Make a new variation of this image: keep its subject, style and mood, and vary composition and details."

/** The instruction for a mask that is sent as a further image, for models that accept several images but no masks. */
export const MASK_PROMPT =
  "The last image is a mask of the first one: change only those parts of the first one at which the mask is transparent."

/** The loss for a variation that is emulated by another task. */
export const VARIATION_EMULATED: Loss = Object.freeze({ name: "variations", effect: "emulated" })

const TASK_WORDS: Readonly<Record<ImageTask, string>> = {
  generation: "generate images from a prompt",
  edit: "edit images",
  variation: "create variations of images",
}

/** Returns the error for a task that the vendor does not offer for the model. */
export function notSupported(request: ImageRequest, model: string): GatewayError {
  return new GatewayError(
    "model_not_supported",
    `The model '${model}' cannot ${TASK_WORDS[request.task]}. Name another one.`,
    { parameter: "model" },
  )
}

/** Returns the prompt, or the prompt of an edit that emulates a variation. */
export function promptOf(request: ImageRequest): string {
  return request.task === "variation" ? VARIATION_PROMPT : request.prompt
}

/** Returns the options under the vendor's names. Unsupported options are reported as losses. */
export function carriedOptions(
  request: ImageRequest,
  names: Readonly<Record<string, string>>,
  losses: Loss[],
): JsonObject {
  const carried: JsonObject = {}
  for (const [name, value] of Object.entries(request.options)) {
    if (!isDefined(value)) continue
    const upstream = Object.hasOwn(names, name) ? names[name] : undefined
    if (upstream === undefined) losses.push({ name, effect: "dropped" })
    else carried[upstream] = value
  }
  return carried
}

/** Returns the number of images of each call, given the vendor's maximum. */
export function countsOf(request: ImageRequest, max: number): number[] {
  const counts: number[] = []
  for (let left = request.count; left > 0; left -= max) counts.push(Math.min(left, max))
  return counts
}

/** Returns the calls for the images of a request, given the vendor's maximum of images per call. */
export function callsOf(
  request: ImageRequest,
  max: number,
  callFor: (count: number) => OperationCall,
): OperationCall[] {
  return countsOf(request, max).map((count) => ({ ...callFor(count), results: count }))
}

/**
 * Rejects a request with too many images.
 * @throws GatewayError `invalid_value` if the model does not accept this number of images.
 */
export function rejectMoreImages({ images }: ImageRequest, model: string, max: number): void {
  if (images.length <= max) return
  throw new GatewayError(
    "invalid_value",
    `The model '${model}' edits at most ${max} image at a time.`,
    { parameter: "image" },
  )
}

/**
 * Returns the only image of a request, for a model that edits or varies one image.
 * @throws GatewayError if the request has no image or several.
 */
export function onlyImage(request: ImageRequest, model: string): ImageFile {
  rejectMoreImages(request, model, 1)
  const [image] = request.images
  if (image === undefined) throw missingParameter("image")
  return image
}

/**
 * Returns the mask, for a model that requires one.
 * @throws GatewayError if the request has no mask.
 */
export function neededMask({ mask }: ImageRequest, model: string): ImageFile {
  if (mask !== undefined) return mask
  throw new GatewayError(
    "missing_required_parameter",
    `The model '${model}' needs a mask to edit an image: send 'mask', or use another model.`,
    { parameter: "mask" },
  )
}

/**
 * Rejects a request with a mask. A model that accepts one image and no mask would change all of the image.
 * @throws GatewayError `model_not_supported`.
 */
export function rejectMask({ mask }: ImageRequest, model: string): void {
  if (mask === undefined) return
  throw new GatewayError(
    "model_not_supported",
    `The model '${model}' accepts no mask: it would change the whole image. Use another model.`,
    { parameter: "mask" },
  )
}

/**
 * Returns an image as a file of a form.
 * @param name the file name without its extension.
 */
export function outgoingImage(
  field: string,
  name: string,
  { bytes, mediaType }: ImageFile,
): OutgoingFile {
  return {
    field,
    name: `${name}.${mediaType.slice(mediaType.indexOf("/") + 1)}`,
    type: mediaType,
    size: bytes.byteLength,
    open: () => new Blob([bytes]).stream(),
  }
}

export function base64Of({ bytes }: ImageFile): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")
}

export function dataUrlOf(file: ImageFile): string {
  return encodeDataUrl(base64Of(file), file.mediaType)
}
