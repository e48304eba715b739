/** Frees a chunk's memory now, not at the next collection. A buffer larger than the chunk may be shared, and stays. */
export function detachBuffer(chunk: Uint8Array): void {
  const { buffer, byteLength } = chunk
  if (byteLength === 0) return
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
