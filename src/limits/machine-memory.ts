import { totalmem } from "node:os"

const MEBIBYTE = 1024 * 1024
/** The minimum memory for requests on any machine. */
const MIN_BYTES = 256 * MEBIBYTE

/** Returns the default memory for requests in bytes: a quarter of the memory of the machine or container. */
export function defaultMemory(): number {
  const constrained = process.constrainedMemory()
  const total = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.max(MIN_BYTES, Math.floor(total / 4))
}
