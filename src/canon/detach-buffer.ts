/**
 * Frees a chunk's memory now instead of at the next garbage collection. A buffer larger than the chunk may be shared,
 * so it is not freed.
 */
export function detachBuffer(chunk: Uint8Array): void {
  const { buffer, byteLength } = chunk
  if (byteLength === 0) return
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
