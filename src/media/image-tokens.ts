import { isJsonObject, type JsonObject } from "../canon/json.ts"
import type { MediaSource } from "../canon/message.ts"
import { tokensOfSize } from "./image-rules.ts"
import { type ImageSize, imageSize } from "./image-size.ts"
import { peek } from "./peek.ts"

/** A size that is larger than any size that a rule distinguishes. */
export const UNBOUNDED_SIZE = { width: Infinity, height: Infinity }

/** Assumed size in pixels of an image of unknown size, for estimates. */
const COMMON = { width: 1024, height: 1024 }

/** Estimates the input tokens of an image. `imageTokenBound` documents the parameters. */
export function imageTokenEstimate(
  source: MediaSource,
  detail: string | undefined,
  model: string,
  fields?: JsonObject,
): number {
  return tokensOfSize(enlarged(sizeOf(source) ?? COMMON, fields), detail ?? "auto", model)
}

/**
 * Returns the maximum input tokens of an image. If an image is linked, or if its size is not in its first bytes, it has
 * the maximum of the model's rule.
 * @param detail `low`, `high`, `auto` or any value that a vendor adds. Defaults to `auto`.
 * @param model the model's id or name.
 * @param fields further members of the vendor's own format.
 */
export function imageTokenBound(
  source: MediaSource,
  detail: string | undefined,
  model: string,
  fields?: JsonObject,
): number {
  return tokensOfSize(enlarged(sizeOf(source) ?? UNBOUNDED_SIZE, fields), detail ?? "auto", model)
}

function sizeOf(source: MediaSource): ImageSize | undefined {
  const head = peek(source)?.head
  return head && imageSize(head)
}

/** Enlarges an image to the minimum number of pixels that the request sets (`min_pixels` of Qwen-VL). */
function enlarged(size: ImageSize, fields: JsonObject | undefined): ImageSize {
  const inner = fields?.["image_url"]
  const pixels = fields?.["min_pixels"] ?? (isJsonObject(inner) ? inner["min_pixels"] : undefined)
  if (pixels === undefined || pixels === null) return size
  if (typeof pixels !== "number") return UNBOUNDED_SIZE
  const area = size.width * size.height
  if (pixels <= area) return size
  if (area === 0) return UNBOUNDED_SIZE
  const factor = Math.sqrt(pixels / area)
  return { width: size.width * factor, height: size.height * factor }
}
