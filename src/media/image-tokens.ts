import type { MediaSource } from "../canon/message.ts"
import { tokensOfSize } from "./image-rules.ts"
import { type ImageSize, imageSize } from "./image-size.ts"
import { peek } from "./peek.ts"

/** Larger than any rule considers. */
export const LARGEST = { width: Infinity, height: Infinity }

/** The size that an image is assumed to have if it is unknown and only estimated. */
const COMMON = { width: 1024, height: 1024 }

/** About how many input tokens an image costs; the parameters are those of `imageTokenBound`. */
export function imageTokenEstimate(
  source: MediaSource,
  detail: string | undefined,
  model: string,
): number {
  return tokensOfSize(sizeOf(source) ?? COMMON, detail ?? "auto", model)
}

/**
 * The most input tokens that an image can cost. A linked image, or one whose size is not in its first bytes,
 * costs the most that the model's rule allows.
 * @param detail `low`, `high`, `auto` and any value a vendor adds; absent: `auto`.
 * @param model the model's id or name.
 */
export function imageTokenBound(
  source: MediaSource,
  detail: string | undefined,
  model: string,
): number {
  return tokensOfSize(sizeOf(source) ?? LARGEST, detail ?? "auto", model)
}

function sizeOf(source: MediaSource): ImageSize | undefined {
  const head = peek(source)?.head
  return head && imageSize(head)
}
