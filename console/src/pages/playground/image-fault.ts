import { t } from "../../languages/text.ts"

/** Image types that all vendors with image input accept. */
const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"]
export const IMAGE_TYPES = TYPES.join(",")

/**
 * Limits the size of a request: a data URL is a third longer than its image, and a request may contain several images.
 */
const MAX_IMAGE_BYTES = 8 * 1024 * 1024
export const MAX_IMAGES = 6

/** Returns the reason why a file cannot be attached; undefined if it can be attached. */
export function imageFault(file: {
  readonly name: string
  readonly type: string
  readonly size: number
}) {
  if (!TYPES.includes(file.type))
    return t("{name} is not a PNG, JPEG, WebP or GIF image.", { name: file.name })
  if (file.size > MAX_IMAGE_BYTES)
    return t("{name} is larger than 8 MB. Make it smaller first.", { name: file.name })
  return undefined
}
