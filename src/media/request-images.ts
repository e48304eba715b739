import { GatewayError } from "../canon/errors.ts"
import type { FormFile } from "../canon/form-file.ts"
import { type ImageTask, type ImageFile, type ImageSize, sizeName } from "../canon/image.ts"
import { missingParameter } from "../canon/invalid-request.ts"
import { imageSize } from "./image-size.ts"
import type { MediaInspector } from "./media-inspector.ts"
import type { PngFacts } from "./png.ts"

/** Maximum bytes of an image (docs/reference/api.md#limits). */
export const MAX_IMAGE_BYTES = 4 * 1024 * 1024

/** Limits on images for models that validate edits by their own rules (OpenAI's GPT images). */
export const MAX_PHOTO_BYTES = 50 * 1024 * 1024
export const MAX_PHOTOS = 16

/** Checks a caller's PNG. */
type PngReader = (bytes: Uint8Array<ArrayBuffer>) => ReturnType<MediaInspector["readPng"]>

/** The validated images of a request. */
export interface RequestImages {
  readonly images: readonly ImageFile[]
  readonly mask?: ImageFile
  /** The size of the first image in pixels. */
  readonly size: ImageSize
}

/**
 * Reads the files of an edit or a variation, which must be square PNGs. An edit may also have a mask, which needs an
 * alpha channel and the size of the first image. The requested `size` must equal the size of the image.
 * @throws GatewayError `missing_required_parameter`, `file_too_large`, `invalid_image`.
 */
export async function readRequestImages(
  task: ImageTask,
  files: readonly FormFile[],
  requested: ImageSize | "auto" | undefined,
  read: PngReader,
): Promise<RequestImages> {
  const images = files.filter(({ field }) => field === "image")
  const mask = files.find(({ field }) => field === "mask")
  if (images.length === 0) throw missingParameter("image")
  const ready: ImageFile[] = []
  let size: ImageSize | undefined
  for (const file of images) {
    const { bytes, facts } = await readImage(file, read)
    if (facts.width !== facts.height) {
      throw invalidImage("image", `it is ${sizeName(facts)} pixels, and must be square`)
    }
    size ??= { width: facts.width, height: facts.height }
    ready.push({ bytes, mediaType: PNG_TYPE })
  }
  if (size === undefined) throw missingParameter("image")
  if (task === "edit" && typeof requested === "object") checkSize(requested, size)
  if (mask === undefined) return { images: ready, size }
  return { images: ready, mask: await readMask(mask, size, read), size }
}

/**
 * Reads the files of an edit for models with their own rules. Images may have any shape and size, and only the model
 * validates the mask.
 * @returns the images, and the size to generate: the size of the first image if it is square, otherwise `auto`.
 * @throws GatewayError `missing_required_parameter`, `file_too_large`, `invalid_image`.
 */
export async function readPhotos(
  files: readonly FormFile[],
): Promise<Omit<RequestImages, "size"> & { readonly size: ImageSize | "auto" }> {
  const images: ImageFile[] = []
  let mask: ImageFile | undefined
  for (const file of files) {
    const bytes = await file.bytes(MAX_PHOTO_BYTES)
    const mediaType = photoType(bytes)
    if (mediaType === undefined) throw invalidImage(file.field, "it is not a PNG, JPEG or WebP")
    const read = { bytes, mediaType }
    if (file.field === "mask") mask = read
    else images.push(read)
  }
  const [first] = images
  if (first === undefined) throw missingParameter("image")
  const size = imageSize(first.bytes)
  const isSquare = size !== undefined && size.width === size.height
  return { images, ...(mask && { mask }), size: isSquare ? size : "auto" }
}

const PNG_TYPE = "image/png"

/** Returns the media type of an image by its first bytes; undefined if models do not accept its format. */
function photoType(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1")
  if (start.startsWith("\x89PNG")) return PNG_TYPE
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg"
  return start.startsWith("RIFF") && start.endsWith("WEBP") ? "image/webp" : undefined
}

async function readImage(
  file: FormFile,
  read: PngReader,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly facts: PngFacts }> {
  const bytes = await file.bytes(MAX_IMAGE_BYTES)
  const facts = await read(bytes)
  if (typeof facts === "string") throw invalidImage(file.field, facts)
  return { bytes, facts }
}

async function readMask(file: FormFile, size: ImageSize, read: PngReader): Promise<ImageFile> {
  const { bytes, facts } = await readImage(file, read)
  if (!facts.hasAlpha) {
    throw invalidImage("mask", "it has no alpha channel, whose transparency marks what to replace")
  }
  if (sizeName(facts) !== sizeName(size)) {
    throw invalidImage("mask", `it is ${sizeName(facts)} pixels, and the image ${sizeName(size)}`)
  }
  return { bytes, mediaType: PNG_TYPE }
}

function checkSize(requested: ImageSize, size: ImageSize): void {
  if (sizeName(requested) === sizeName(size)) return
  throw new GatewayError(
    "invalid_image",
    `The 'size' ${sizeName(requested)} differs from the image's, which is ${sizeName(size)}. Leave 'size' out, or send an image of that size.`,
    { parameter: "size" },
  )
}

/**
 * Returns the error for an unusable image.
 * @param fault the problem, worded as the end of a sentence.
 */
export function invalidImage(field: string, fault: string): GatewayError {
  return new GatewayError("invalid_image", `The file in '${field}' cannot be used: ${fault}.`, {
    parameter: field,
  })
}
