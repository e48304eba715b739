import { createHash, timingSafeEqual } from "node:crypto"

/** Whether two secrets are the same, in a time that tells nothing of where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
