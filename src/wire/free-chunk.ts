/** Gives memory back. A buffer that is more than the chunk may belong to someone else. */
export function free(chunk: Uint8Array): void {
  const { buffer, byteLength } = chunk
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
