import { ProtocolError, ResponseHead } from "./response-head.ts"

/** Receives the parts of a response as they arrive. */
export interface ResponseListener {
  onHead(head: ResponseHead): void
  onChunk(bytes: Uint8Array): void
  /**
   * Called at the end of the response.
   * @param isReusable whether the connection can be reused.
   */
  onEnd(isReusable: boolean): void
}

const MAX_HEAD_BYTES = 64 * 1024
const MAX_LINE_BYTES = 4 * 1024
const MAX_TRAILER_BYTES = 16 * 1024
const LINE_END = "\r\n"
/** The empty line after a head. Searching for bytes is several times faster than searching for text. */
const HEAD_END = Buffer.from("\r\n\r\n")
/** Maximum number of digits in the size of a chunk. */
const MAX_SIZE_DIGITS = 12
/** Data of chunks with fewer bytes is joined. */
const SHORT_CHUNK_BYTES = 4 * 1024
/** Data of reads with at most this many bytes is never copied. */
const SHORT_READ_BYTES = 4 * 1024
/**
 * Maximum ratio between the length of a read and the length of the data that is kept. Above this ratio, the data is
 * copied.
 */
const MAX_BUFFER_RATIO = 2

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const SEMICOLON = 0x3b

/** The range of data in a read of the socket. */
interface Part {
  readonly start: number
  end: number
}

type State = "head" | "length" | "size" | "chunk" | "chunk-end" | "trailer" | "until-close" | "over"

/**
 * Parses one response from the bytes of a connection, regardless of how the bytes are split (RFC 9112). Only
 * unambiguous responses are accepted. If another parser found a different end of the response, the rest would be
 * treated as the response to another caller.
 */
export class ResponseParser {
  readonly #listener: ResponseListener
  #state: State = "head"
  /** The start of a head or line that is incomplete. */
  #buffered: Uint8Array | undefined
  /** Bytes until the end of the body or the current chunk. */
  #remaining = 0
  /** Total bytes of informational heads (status 1xx) so far. */
  #before = 0
  #trailer = 0
  #isReusable = false

  constructor(listener: ResponseListener) {
    this.#listener = listener
  }

  /**
   * Parses bytes.
   * @param bytes may be changed by the parser.
   * @throws ProtocolError if the response is invalid.
   */
  push(bytes: Buffer): void {
    let input = bytes
    if (this.#buffered !== undefined) {
      input = Buffer.concat([this.#buffered, bytes])
      this.#buffered = undefined
    }
    let at = 0
    while (at < input.length && this.#state !== "over") at = this.#step(input, at)
  }

  /** Handles the end of the connection. @throws ProtocolError if the response is incomplete. */
  close(): void {
    if (this.#state !== "until-close") throw new ProtocolError("the connection was closed early")
    this.#listener.onEnd(false)
  }

  /**
   * Parses a part of the input.
   * @returns the offset to continue from. It is the end of the input if more bytes are needed.
   */
  #step(input: Buffer, at: number): number {
    switch (this.#state) {
      case "head":
        return this.#head(input, at)
      case "length":
        return this.#body(input, at)
      case "size":
      case "chunk":
      case "chunk-end":
        return this.#chunks(input, at)
      case "trailer":
        return this.#trailerLine(input, at)
      case "until-close":
        this.#pass(input, { start: at, end: input.length })
        return input.length
      case "over":
        return input.length
    }
  }

  #head(input: Buffer, at: number): number {
    const end = input.indexOf(HEAD_END, at)
    if (end === -1) return this.#wait(input, at, MAX_HEAD_BYTES)
    if (end - at > MAX_HEAD_BYTES) throw new ProtocolError("the head of the response is too long")
    const head = new ResponseHead(input.toString("latin1", at, end))
    const next = end + HEAD_END.length
    if (head.status < 200) {
      if (head.status === 101) throw new ProtocolError("the server changes to another protocol")
      this.#before += next - at
      if (this.#before > MAX_HEAD_BYTES)
        throw new ProtocolError("too much comes before the response")
      return next
    }
    const framing = head.framing()
    this.#isReusable = head.isReusable
    this.#listener.onHead(head)
    if (framing.type === "length") {
      this.#remaining = framing.bytes
      this.#state = "length"
      if (framing.bytes === 0) this.#end(input, next)
    } else this.#state = framing.type === "chunked" ? "size" : "until-close"
    return next
  }

  #body(input: Buffer, at: number): number {
    const end = Math.min(input.length, at + this.#remaining)
    this.#remaining -= end - at
    this.#pass(input, { start: at, end })
    if (this.#remaining === 0) this.#end(input, end)
    return end
  }

  /**
   * Reads chunks. Data of short chunks in one read is joined in place and forwarded together, because a read may
   * contain 100,000 chunks of one byte.
   */
  #chunks(input: Buffer, start: number): number {
    let at = start
    const parts: Part[] = []
    let data = 0
    try {
      while (at < input.length) {
        if (this.#state === "size") at = this.#size(input, at)
        else if (this.#state === "chunk-end") at = this.#chunkEnd(input, at)
        else if (this.#state === "chunk") {
          const end = Math.min(input.length, at + this.#remaining)
          const length = end - at
          const last = parts.at(-1)
          if (last !== undefined && length < SHORT_CHUNK_BYTES) {
            input.copyWithin(last.end, at, end)
            last.end += length
          } else parts.push({ start: at, end })
          data += length
          this.#remaining -= length
          if (this.#remaining === 0) this.#state = "chunk-end"
          at = end
        } else return at
      }
      return at
    } finally {
      for (const part of parts) this.#pass(input, part, data)
    }
  }

  /**
   * Forwards data.
   * @param data the number of bytes of data in this read.
   */
  #pass(input: Buffer, { start, end }: Part, data = end - start): void {
    this.#listener.onChunk(ownPart(input, start, end, data))
  }

  /** Reads the size of a chunk and skips its extensions. */
  #size(input: Buffer, start: number): number {
    const { length } = input
    let at = start
    let size = 0
    for (let digit = hexDigit(input[at]); digit !== undefined; digit = hexDigit(input[at])) {
      size = 16 * size + digit
      at += 1
    }
    const digits = at - start
    while (input[at] === SPACE || input[at] === TAB) at += 1
    if (input[at] === SEMICOLON) {
      while (at < length && input[at] !== CARRIAGE_RETURN && input[at] !== LINE_FEED) at += 1
    }
    const isLine = isLineEnd(input, at)
    if (isLine === undefined) return this.#wait(input, start, MAX_LINE_BYTES)
    if (!isLine || digits === 0 || digits > MAX_SIZE_DIGITS) {
      throw new ProtocolError("a chunk has no valid size")
    }
    this.#remaining = size
    this.#state = size === 0 ? "trailer" : "chunk"
    return at + LINE_END.length
  }

  #chunkEnd(input: Buffer, at: number): number {
    const isLine = isLineEnd(input, at)
    if (isLine === undefined) return this.#wait(input, at, MAX_LINE_BYTES)
    if (!isLine) throw new ProtocolError("a chunk is longer than its declared size")
    this.#state = "size"
    return at + LINE_END.length
  }

  #trailerLine(input: Buffer, at: number): number {
    const end = input.indexOf(LINE_END, at)
    if (end === -1) return this.#wait(input, at, MAX_LINE_BYTES)
    const next = end + LINE_END.length
    this.#trailer += end - at
    if (this.#trailer > MAX_TRAILER_BYTES) throw new ProtocolError("the trailer is too long")
    if (end === at) this.#end(input, next)
    return next
  }

  #wait(input: Buffer, at: number, max: number): number {
    if (input.length - at > max) throw new ProtocolError("a line of the response is too long")
    this.#buffered = ownPart(input, at, input.length, input.length - at)
    return input.length
  }

  /** Ends the response. If data follows it, the data belongs to no request, so the connection is not reused. */
  #end(input: Buffer, at: number): void {
    this.#state = "over"
    this.#listener.onEnd(this.#isReusable && at === input.length)
  }
}

/**
 * Returns a part of a read. The part is copied if most of the read is discarded. Chunk extensions may be 1,000 times as
 * long as the data, and would otherwise stay in memory with it.
 * @param kept number of bytes of the read that are kept.
 */
function ownPart(input: Buffer, start: number, end: number, kept: number): Uint8Array {
  const part = input.subarray(start, end)
  return input.length > Math.max(SHORT_READ_BYTES, MAX_BUFFER_RATIO * kept)
    ? new Uint8Array(part)
    : part
}

/** Returns the value of a hexadecimal digit; undefined for any other byte, or if there is no byte. */
function hexDigit(byte: number | undefined): number | undefined {
  if (byte === undefined) return undefined
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  // Clears the bit that distinguishes lowercase from uppercase letters.
  const letter = byte & ~0x20
  return letter >= 0x41 && letter <= 0x46 ? letter - 0x37 : undefined
}

/** Reports whether a position is the end of a line; undefined if more bytes are needed. */
function isLineEnd(input: Buffer, at: number): boolean | undefined {
  const first = input[at]
  const second = input[at + 1]
  if (first === undefined) return undefined
  if (first !== CARRIAGE_RETURN) return false
  return second === undefined ? undefined : second === LINE_FEED
}
