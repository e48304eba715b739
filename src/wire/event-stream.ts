import type { FrameMemory, FrameParser, ReceivedEvent } from "./frames.ts"

/** The longest frame that is accepted, in bytes. */
const LONGEST_FRAME = 16 * 1024 * 1024

/** Frames up to this many bytes are not counted. */
const SMALL_FRAME = 256 * 1024
/** A long frame is in memory as bytes, as text, and as what is parsed of it. */
const COPIES = 3

/** Length of the frame, length of its headers, and the checksum of both. */
const PRELUDE_LENGTH = 12
/** The checksum of everything before it. */
const CHECKSUM_LENGTH = 4
const SHORTEST_FRAME = PRELUDE_LENGTH + CHECKSUM_LENGTH

/**
 * Parses frames of Amazon's `application/vnd.amazon.eventstream` (docs/wire/bedrock-converse.md#f5). An
 * exception becomes the event `exception:<its type>`, an error `error:<its code>`.
 *
 * @throws Error from `push` and `end`: a checksum or a length is invalid, or the last frame is incomplete.
 * Valid frames before it have been returned by then.
 */
export class EventStreamParser implements FrameParser {
  readonly #waiting = new WaitingBytes()
  readonly #memory: FrameMemory | undefined
  #taken = 0
  /** What is wrong after the valid frames: nothing after it can be trusted. */
  #fault: Error | undefined

  constructor({ memory }: { readonly memory?: FrameMemory } = {}) {
    this.#memory = memory
  }

  push(bytes: Uint8Array): readonly ReceivedEvent[] {
    if (this.#fault !== undefined) throw this.#fault
    this.#waiting.append(bytes)
    if (this.#waiting.length > SMALL_FRAME || this.#taken > 0) this.#count()
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

  /** Bytes that wait for the end of a long frame count against the memory budget. */
  #count(): void {
    const { length } = this.#waiting
    const needed = length > SMALL_FRAME ? COPIES * length : 0
    if (needed > this.#taken) this.#memory?.takeAnswer(needed - this.#taken)
    else this.#memory?.give(this.#taken - needed)
    this.#taken = needed
  }

  end(): readonly ReceivedEvent[] {
    if (this.#fault !== undefined) throw this.#fault
    if (this.#waiting.length > 0) {
      throw new Error("the event stream ended in the middle of a frame")
    }
    return []
  }
}

/** Bytes that have arrived and are not consumed yet. Grows by doubling, so that a long frame is rarely copied. */
class WaitingBytes {
  #buffer: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** Bytes that arrive while none wait are referenced, not copied. */
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

  /** The next bytes, not consumed. */
  peek(length: number): Buffer {
    return this.#buffer.subarray(this.#start, this.#start + length)
  }

  take(length: number): Buffer {
    const taken = this.peek(length)
    this.#start += length
    return taken
  }
}

/** The next complete frame, checked; undefined while it is incomplete. */
function takeFrame(waiting: WaitingBytes): Buffer | undefined {
  if (waiting.length < PRELUDE_LENGTH) return undefined
  const prelude = waiting.peek(PRELUDE_LENGTH)
  checkSum(prelude)
  // The length is only trusted after its checksum, and before any more is buffered for it.
  const length = prelude.readUInt32BE(0)
  if (length < SHORTEST_FRAME || length > LONGEST_FRAME) {
    throw new Error(`the event stream announces a frame of ${length} bytes`)
  }
  if (waiting.length < length) return undefined
  const frame = waiting.take(length)
  checkSum(frame)
  return frame
}

/** @throws Error when the last four bytes are not the CRC32 of all before them. */
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
/** Bytes of a header's value by its type; types 6 (bytes) and 7 (text) carry their length. */
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

/** The text headers, by name; the others are skipped. */
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
