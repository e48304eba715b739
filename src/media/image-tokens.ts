import type { MediaSource } from "../canon/message.ts"
import { tokensOfSize } from "./image-rules.ts"
import { imageSize } from "./image-size.ts"
import { peek } from "./peek.ts"

/** Larger than any rule considers. */
export const LARGEST = { width: Infinity, height: Infinity }

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
  const head = peek(source)?.head
  const size = (head && imageSize(head)) ?? LARGEST
  return tokensOfSize(size, detail ?? "auto", model)
}
