import { GatewayError } from "../canon/errors.ts"
import type { FormFile } from "../canon/form-file.ts"
import { type ImageTask, type PictureFile, type PictureSize, sizeName } from "../canon/image.ts"
import { missingParameter } from "../canon/invalid-request.ts"
import { type PngFacts, readPng } from "./png.ts"

/** Bytes of a picture that comes with a request (docs/api.md#limits). */
export const LARGEST_PICTURE = 4 * 1024 * 1024

/** The pictures that came with a request, judged. */
export interface RequestPictures {
  readonly images: readonly PictureFile[]
  readonly mask?: PictureFile
  /** Of the first image. */
  readonly size: PictureSize
}

/**
 * Reads the files of an edit or a variation: square PNGs; of an edit also a mask, which can be
 * transparent and is as large as the first image, and a `size` that is the image's own.
 * @throws GatewayError `missing_required_parameter`, `file_too_large`, `invalid_image`.
 */
export async function readRequestPictures(
  task: ImageTask,
  files: readonly FormFile[],
  asked: PictureSize | "auto" | undefined,
): Promise<RequestPictures> {
  const images = files.filter(({ field }) => field === "image")
  const mask = files.find(({ field }) => field === "mask")
  if (images.length === 0) throw missingParameter("image")
  const read: PictureFile[] = []
  let size: PictureSize | undefined
  for (const file of images) {
    const { bytes, facts } = await readPicture(file)
    if (facts.width !== facts.height) {
      throw invalidImage("image", `it is ${sizeName(facts)} pixels, and has to be square`)
    }
    size ??= { width: facts.width, height: facts.height }
    read.push({ bytes, mediaType: PNG_TYPE })
  }
  if (size === undefined) throw missingParameter("image")
  if (task === "edit" && typeof asked === "object") checkSize(asked, size)
  if (mask === undefined) return { images: read, size }
  return { images: read, mask: await readMask(mask, size), size }
}

const PNG_TYPE = "image/png"

async function readPicture(
  file: FormFile,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly facts: PngFacts }> {
  const bytes = await file.bytes(LARGEST_PICTURE)
  const facts = readPng(bytes)
  if (typeof facts === "string") throw invalidImage(file.field, facts)
  return { bytes, facts }
}

async function readMask(file: FormFile, size: PictureSize): Promise<PictureFile> {
  const { bytes, facts } = await readPicture(file)
  if (!facts.hasAlpha) {
    throw invalidImage("mask", "it has no alpha channel, whose transparency marks what to replace")
  }
  if (sizeName(facts) !== sizeName(size)) {
    throw invalidImage("mask", `it is ${sizeName(facts)} pixels, and the image ${sizeName(size)}`)
  }
  return { bytes, mediaType: PNG_TYPE }
}

function checkSize(asked: PictureSize, size: PictureSize): void {
  if (sizeName(asked) === sizeName(size)) return
  throw new GatewayError(
    "invalid_image",
    `The 'size' ${sizeName(asked)} differs from the image's, which is ${sizeName(size)}. Leave 'size' out, or send an image of that size.`,
    { parameter: "size" },
  )
}

/** A picture that cannot be used. @param fault what is wrong, as the end of a sentence. */
export function invalidImage(field: string, fault: string): GatewayError {
  return new GatewayError("invalid_image", `The file in '${field}' cannot be used: ${fault}.`, {
    parameter: field,
  })
}
