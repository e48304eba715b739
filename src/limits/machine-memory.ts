import { totalmem } from "node:os"

const MEBIBYTE = 1024 * 1024
/** What requests hold at least, whatever the machine. */
const MIN = 256 * MEBIBYTE

/** What requests may hold where no one says otherwise: a quarter of the machine's memory, or of the container's. Bytes. */
export function usualMemory(): number {
  const constrained = process.constrainedMemory()
  const total = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.max(MIN, Math.floor(total / 4))
}
