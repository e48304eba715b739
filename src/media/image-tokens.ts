import type { MediaSource } from "../canon/message.ts"
import { tokensOfSize } from "./image-rules.ts"
import { imageSize } from "./image-size.ts"
import { peek } from "./peek.ts"

/** Larger than any rule looks at. */
const LARGEST = { width: Infinity, height: Infinity }

/**
 * The most input tokens an image can cost. One that lies elsewhere, or whose size cannot be told
 * from its first bytes, costs the most that the model's rule allows.
 * @param detail `low`, `high`, `auto` and whatever a vendor adds; absent: `auto`.
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
