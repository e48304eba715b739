/** Gives memory back. A buffer that is more than the piece may belong to somebody else. */
export function free(piece: Uint8Array): void {
  const { buffer, byteLength } = piece
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
