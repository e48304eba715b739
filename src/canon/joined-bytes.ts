import { detachBuffer } from "./detach-buffer.ts"
import { ownTurn } from "./next-turn.ts"

/** Maximum bytes copied per turn of the event loop. */
export const COPIED_BYTES = 4 * 1024 * 1024
/** Maximum chunks copied per turn of the event loop. */
const COPIED_CHUNKS = 10_000

/**
 * Joins chunks in slices, with a turn of the event loop after each. The memory of each chunk is released immediately
 * after copying, because the garbage collector does not account for its size.
 * @param bytes total size of all chunks.
 */
export async function joinInSlices(
  chunks: readonly Uint8Array[],
  bytes: number,
): Promise<Buffer<ArrayBuffer>> {
  const joined = Buffer.allocUnsafeSlow(bytes)
  let at = 0
  let copied = 0
  let count = 0
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.byteLength
    copied += chunk.byteLength
    count += 1
    detachBuffer(chunk)
    if (copied < COPIED_BYTES && count < COPIED_CHUNKS) continue
    copied = count = 0
    await ownTurn()
  }
  return joined
}
