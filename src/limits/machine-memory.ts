import { totalmem } from "node:os"

const MEBIBYTE = 1024 * 1024
/** The minimum for requests, whatever the machine. */
const MIN = 256 * MEBIBYTE

/** What requests may hold by default: a quarter of the memory of the machine, or of the container. Bytes. */
export function defaultMemory(): number {
  const constrained = process.constrainedMemory()
  const total = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.max(MIN, Math.floor(total / 4))
}
