import type { MediaSource } from "../../src/canon/message.ts"

/** Returns bytes as a media source in base64. */
export function base64(bytes: Uint8Array | string, mediaType?: string): MediaSource {
  const data = Buffer.from(bytes as string).toString("base64")
  return mediaType === undefined ? { type: "base64", data } : { type: "base64", data, mediaType }
}

/** Returns the first bytes of a PNG of this size. */
export function png(width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(33)
  bytes.writeUInt32BE(0x89504e47, 0)
  bytes.writeUInt32BE(0x0d0a1a0a, 4)
  bytes.writeUInt32BE(13, 8)
  bytes.write("IHDR", 12)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

/** Returns a JPEG with segments of `padding` bytes before its frame header. */
export function jpeg(width: number, height: number, padding: readonly number[] = [16]): Uint8Array {
  const segments = padding.map((size) => {
    const segment = Buffer.alloc(size + 2)
    segment.writeUInt16BE(0xffe1, 0)
    segment.writeUInt16BE(size, 2)
    return segment
  })
  const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, 0, 0, 0, 0, 3, 1, 17, 0])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, frame])
}
