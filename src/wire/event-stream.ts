import { type FrameMemory, type FrameParser, FrameTooLong, type ReceivedEvent } from "./frames.ts"

const MAX_FRAME_BYTES = 48 * 1024 * 1024

/** Maximum bytes of a frame that is not counted against the memory budget. */
const MAX_UNCOUNTED_BYTES = 256 * 1024
/** Number of copies of a long frame in memory: the bytes, the text, and the parsed value. */
const COPIES = 3

/** Bytes of the prelude, which contains the length of the frame, the length of its headers, and a checksum of both. */
const PRELUDE_LENGTH = 12
/** Bytes of the checksum of all preceding bytes. */
const CHECKSUM_LENGTH = 4
const MIN_FRAME_BYTES = PRELUDE_LENGTH + CHECKSUM_LENGTH

/**
 * Parses frames of Amazon's `application/vnd.amazon.eventstream` (docs/contribute/wire/bedrock-converse.md#f5). An
 * exception becomes the event `exception:<its type>`, and an error becomes `error:<its code>`.
 * @throws Error from `push` and `end` if a checksum or a length is invalid, or if the last frame is incomplete. The
 * valid frames before it have already been returned.
 */
export class EventStreamParser implements FrameParser {
  readonly #waiting = new WaitingBytes()
  readonly #memory: FrameMemory | undefined
  #reserved = 0
  /** The error that follows the valid frames. Bytes after an error cannot be trusted. */
  #fault: Error | undefined

  constructor({ memory }: { readonly memory?: FrameMemory } = {}) {
    this.#memory = memory
  }

  push(bytes: Uint8Array): readonly ReceivedEvent[] {
    if (this.#fault !== undefined) throw this.#fault
    // The reader requests more, so it has passed on all frames that it received before.
    if (this.#reserved > 0) this.#count()
    this.#waiting.append(bytes)
    if (this.#waiting.length > MAX_UNCOUNTED_BYTES) this.#count()
    const events: ReceivedEvent[] = []
    try {
      for (;;) {
        const frame = takeFrame(this.#waiting)
        if (frame === undefined) return events
        events.push(readEvent(frame))
      }
    } catch (fault) {
      this.#fault = fault as Error
      if (events.length === 0) throw fault
      return events
    }
  }

  /** Counts the bytes of a long frame against the memory budget, until the reader requests the next bytes. */
  #count(): void {
    const { length } = this.#waiting
    const needed = length > MAX_UNCOUNTED_BYTES ? COPIES * length : 0
    if (needed > this.#reserved) this.#take(needed - this.#reserved)
    else this.#memory?.give(this.#reserved - needed)
    this.#reserved = needed
  }

  /** @throws GatewayError if the memory budget rejects the frame, which is then discarded. */
  #take(bytes: number): void {
    try {
      this.#memory?.takeResponse(bytes)
    } catch (rejection) {
      this.#fault = rejection as Error
      this.#waiting.clear()
      this.#memory?.give(this.#reserved)
      this.#reserved = 0
      throw rejection
    }
  }

  end(): readonly ReceivedEvent[] {
    if (this.#fault !== undefined) throw this.#fault
    if (this.#waiting.length > 0) {
      throw new Error("the event stream ended in the middle of a frame")
    }
    return []
  }
}

/**
 * Received bytes that have not been consumed. The buffer doubles in size when it is full, so that a long frame is
 * rarely copied.
 */
class WaitingBytes {
  #buffer: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** Appends bytes. If the buffer is empty, they are referenced instead of copied. */
  append(bytes: Uint8Array): void {
    const { length } = this
    if (length === 0) {
      this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      this.#start = 0
      this.#end = bytes.length
      return
    }
    if (this.#end + bytes.length > this.#buffer.length) {
      const grown = Buffer.alloc(2 * (length + bytes.length))
      grown.set(this.peek(length))
      this.#buffer = grown
      this.#start = 0
      this.#end = length
    }
    this.#buffer.set(bytes, this.#end)
    this.#end += bytes.length
  }

  /** Returns the next bytes without consuming them. */
  peek(length: number): Buffer {
    return this.#buffer.subarray(this.#start, this.#start + length)
  }

  take(length: number): Buffer {
    const taken = this.peek(length)
    this.#start += length
    return taken
  }

  clear(): void {
    this.#buffer = Buffer.alloc(0)
    this.#start = this.#end = 0
  }
}

/** Takes the next complete frame and checks it; undefined while the frame is incomplete. */
function takeFrame(waiting: WaitingBytes): Buffer | undefined {
  if (waiting.length < PRELUDE_LENGTH) return undefined
  const prelude = waiting.peek(PRELUDE_LENGTH)
  checkSum(prelude)
  // The checksum is verified first, so that a wrong length does not cause bytes to be buffered.
  const length = prelude.readUInt32BE(0)
  if (length < MIN_FRAME_BYTES || length > MAX_FRAME_BYTES) {
    const message = `the event stream announces a frame of ${length} bytes`
    throw length < MIN_FRAME_BYTES ? new Error(message) : new FrameTooLong(message)
  }
  if (waiting.length < length) return undefined
  const frame = waiting.take(length)
  checkSum(frame)
  return frame
}

/**
 * Verifies a checksum.
 * @throws Error if the last four bytes are not the CRC32 of all preceding bytes.
 */
function checkSum(bytes: Buffer): void {
  const end = bytes.length - CHECKSUM_LENGTH
  if (Bun.hash.crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) {
    throw new Error("the event stream is corrupt: a checksum is wrong")
  }
}

function readEvent(frame: Buffer): ReceivedEvent {
  const payloadStart = PRELUDE_LENGTH + frame.readUInt32BE(4)
  const payloadEnd = frame.length - CHECKSUM_LENGTH
  if (payloadStart > payloadEnd) throw headersFault()
  const headers = readHeaders(frame.subarray(PRELUDE_LENGTH, payloadStart))
  const data = frame.toString("utf8", payloadStart, payloadEnd)
  switch (headers.get(":message-type")) {
    case "exception":
      return { event: `exception:${headers.get(":exception-type") ?? ""}`, data }
    case "error": {
      const message = headers.get(":error-message") ?? ""
      return { event: `error:${headers.get(":error-code") ?? ""}`, data: message }
    }
    default: {
      const event = headers.get(":event-type")
      return event === undefined ? { data } : { event, data }
    }
  }
}

const STRING = 7
/**
 * Bytes of a header value by type. Types 6 (bytes) and 7 (text) are not listed, because their values contain their
 * length.
 */
const VALUE_LENGTHS: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
  [4, 4],
  [5, 8],
  [8, 8],
  [9, 16],
])
const BYTES = 6

/** Returns the headers of type text by name. Other headers are skipped. */
function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>()
  let at = 0
  const advance = (length: number): number => {
    const before = at
    at += length
    if (at > bytes.length) throw headersFault()
    return before
  }
  while (at < bytes.length) {
    const nameStart = advance(bytes.readUInt8(advance(1)))
    const name = bytes.toString("utf8", nameStart, at)
    const type = bytes.readUInt8(advance(1))
    if (type === STRING || type === BYTES) {
      const start = advance(bytes.readUInt16BE(advance(2)))
      if (type === STRING) headers.set(name, bytes.toString("utf8", start, at))
      continue
    }
    const length = VALUE_LENGTHS.get(type)
    if (length === undefined) throw headersFault()
    advance(length)
  }
  return headers
}

function headersFault(): Error {
  return new Error("the event stream is corrupt: a frame's headers cannot be read")
}
