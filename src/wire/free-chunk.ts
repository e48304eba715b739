/** Frees a chunk's memory. A buffer larger than the chunk may be shared, and is left alone. */
export function free(chunk: Uint8Array): void {
  const { buffer, byteLength } = chunk
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
