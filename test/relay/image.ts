/** Returns the beginning of a PNG with the given size, followed by random bytes in place of its pixels. */
export function pngOf(width: number, height: number, noise = 64): Uint8Array {
  const head = new Uint8Array(33 + noise)
  head.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const view = new DataView(head.buffer)
  view.setUint32(8, 13)
  head.set(new TextEncoder().encode("IHDR"), 12)
  view.setUint32(16, width)
  view.setUint32(20, height)
  head.set([8, 6, 0, 0, 0], 24)
  for (let index = 33; index < head.length; index++) head[index] = (index * 2_654_435_761) >>> 24
  return head
}
