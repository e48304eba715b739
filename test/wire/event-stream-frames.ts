import { crc32 } from "node:zlib"

/** A header value: text, or a type number with raw bytes. */
export type HeaderValue = string | { readonly type: number; readonly bytes: readonly number[] }

/** Returns one frame of Amazon's event stream, encoded according to the description of the format. */
export function frameOf(headers: Readonly<Record<string, HeaderValue>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)))
  const body = Buffer.from(payload)
  const length = 12 + head.length + body.length + 4
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(length, 0)
  prelude.writeUInt32BE(head.length, 4)
  const before = Buffer.concat([prelude, checksum(prelude), head, body])
  return Buffer.concat([before, checksum(before)])
}

/** Returns a frame with an event as a service sends it. */
export function eventFrame(type: string, payload: string): Buffer {
  return frameOf(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    payload,
  )
}

function header(name: string, value: HeaderValue): Buffer {
  const start = Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name)])
  if (typeof value !== "string") return Buffer.from([...start, value.type, ...value.bytes])
  const text = Buffer.from(value)
  return Buffer.concat([start, Buffer.from([7, text.length >> 8, text.length & 255]), text])
}

/** Returns the four bytes of a checksum. */
export function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}
