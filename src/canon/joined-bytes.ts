import { detachBuffer } from "./detach-buffer.ts"
import { ownTurn } from "./next-turn.ts"

/** How much is copied in one turn of the event loop. Bytes. */
const COPIED_BYTES = 4 * 1024 * 1024
/** How many chunks are copied in one turn of the event loop. */
const COPIED_CHUNKS = 10_000

/**
 * Joins chunks, in slices with a turn of the event loop between them. The memory of each chunk is released as soon as it
 * is copied: the collector does not see how large its garbage is.
 * @param bytes of all chunks together.
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
