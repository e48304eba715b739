const PRELUDE_BYTES = 8
const CHECKSUM_BYTES = 4
const STRING_HEADER = 7

/**
 * Returns one frame of `application/vnd.amazon.eventstream` (docs/contribute/wire/bedrock-converse.md#f5). A frame
 * consists of its length, the length of its headers, a checksum of both, the headers, the payload, and a checksum of
 * all preceding bytes.
 */
export function eventFrame(headers: Record<string, string>, payload: string): Uint8Array {
  const encoded = Buffer.concat(Object.entries(headers).map(encodeHeader))
  const body = Buffer.from(payload)
  const start = PRELUDE_BYTES + CHECKSUM_BYTES
  const frame = Buffer.alloc(start + encoded.length + body.length + CHECKSUM_BYTES)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(encoded.length, 4)
  frame.writeUInt32BE(Bun.hash.crc32(frame.subarray(0, PRELUDE_BYTES)), PRELUDE_BYTES)
  encoded.copy(frame, start)
  body.copy(frame, start + encoded.length)
  const end = frame.length - CHECKSUM_BYTES
  frame.writeUInt32BE(Bun.hash.crc32(frame.subarray(0, end)), end)
  return frame
}

/**
 * Encodes a header: the length of the name, the name, the type number of text, the length of the value, and the value.
 */
function encodeHeader([name, value]: [string, string]): Buffer {
  const header = Buffer.alloc(1 + name.length + 1 + 2 + Buffer.byteLength(value))
  header.writeUInt8(name.length, 0)
  header.write(name, 1)
  header.writeUInt8(STRING_HEADER, 1 + name.length)
  header.writeUInt16BE(Buffer.byteLength(value), 2 + name.length)
  header.write(value, 4 + name.length)
  return header
}

/** Returns an event frame, with headers as recorded. */
export function messageFrame(event: string, payload: string): Uint8Array {
  const headers = {
    ":event-type": event,
    ":content-type": "application/json",
    ":message-type": "event",
  }
  return eventFrame(headers, payload)
}

/** Returns an exception frame. No frame follows it. */
export function exceptionFrame(exception: string, payload: string): Uint8Array {
  const headers = {
    ":exception-type": exception,
    ":content-type": "application/json",
    ":message-type": "exception",
  }
  return eventFrame(headers, payload)
}
