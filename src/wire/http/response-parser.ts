import { ProtocolError, ResponseHead } from "./response-head.ts"

/** Receives a response while it arrives. */
export interface ResponseListener {
  onHead(head: ResponseHead): void
  onChunk(bytes: Uint8Array): void
  /** @param isKept whether the connection can be reused. */
  onEnd(isKept: boolean): void
}

const LARGEST_HEAD = 64 * 1024
const LARGEST_LINE = 4 * 1024
const LARGEST_TRAILER = 16 * 1024
const LINE_END = "\r\n"
const HEAD_END = "\r\n\r\n"
const CHUNK_SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;[^\r\n]*)?$/i

type State = "head" | "length" | "size" | "chunk" | "chunk-end" | "trailer" | "until-close" | "over"

/**
 * Parses one response from the bytes of a connection, however they are split. It accepts only what is
 * unambiguous: if another parser saw a response end elsewhere, the rest would become another caller's response.
 * Source: RFC 9112.
 */
export class ResponseParser {
  readonly #listener: ResponseListener
  #state: State = "head"
  /** The start of a head or a line that has not ended. */
  #kept: Buffer | undefined
  /** Bytes until the end of the body or the chunk. */
  #left = 0
  /** Bytes of informational heads (1xx). */
  #before = 0
  #trailer = 0
  #isKept = false

  constructor(listener: ResponseListener) {
    this.#listener = listener
  }

  /** @throws ProtocolError */
  push(bytes: Buffer): void {
    let input = bytes
    if (this.#kept !== undefined) {
      input = Buffer.concat([this.#kept, bytes])
      this.#kept = undefined
    }
    let at = 0
    while (at < input.length && this.#state !== "over") at = this.#step(input, at)
  }

  /** The server has closed the connection. @throws ProtocolError when the response is incomplete. */
  close(): void {
    if (this.#state !== "until-close") throw new ProtocolError("the connection was closed early")
    this.#listener.onEnd(false)
  }

  /** @returns where to continue: at the end of the input when more has to arrive first. */
  #step(input: Buffer, at: number): number {
    switch (this.#state) {
      case "head":
        return this.#head(input, at)
      case "length":
      case "chunk":
        return this.#body(input, at)
      case "size":
      case "chunk-end":
      case "trailer":
        return this.#line(input, at)
      case "until-close":
        this.#listener.onChunk(at === 0 ? input : input.subarray(at))
        return input.length
      case "over":
        return input.length
    }
  }

  #head(input: Buffer, at: number): number {
    const end = input.indexOf(HEAD_END, at)
    if (end === -1) return this.#wait(input, at, LARGEST_HEAD)
    if (end - at > LARGEST_HEAD) throw new ProtocolError("the head of the response is too long")
    const head = new ResponseHead(input.toString("latin1", at, end))
    const next = end + HEAD_END.length
    if (head.status < 200) {
      if (head.status === 101) throw new ProtocolError("the server changes to another protocol")
      this.#before += next - at
      if (this.#before > LARGEST_HEAD) throw new ProtocolError("too much comes before the response")
      return next
    }
    const framing = head.framing()
    this.#isKept = head.isKept
    this.#listener.onHead(head)
    if (framing.type === "length") {
      this.#left = framing.bytes
      this.#state = "length"
      if (framing.bytes === 0) this.#end(input, next)
    } else this.#state = framing.type === "chunked" ? "size" : "until-close"
    return next
  }

  #body(input: Buffer, at: number): number {
    const end = Math.min(input.length, at + this.#left)
    this.#left -= end - at
    this.#listener.onChunk(input.subarray(at, end))
    if (this.#left > 0) return end
    if (this.#state === "chunk") this.#state = "chunk-end"
    else this.#end(input, end)
    return end
  }

  #line(input: Buffer, at: number): number {
    const end = input.indexOf(LINE_END, at)
    if (end === -1) return this.#wait(input, at, LARGEST_LINE)
    const line = input.toString("latin1", at, end)
    const next = end + LINE_END.length
    if (this.#state === "size") this.#size(line)
    else if (this.#state === "trailer") this.#trailerLine(line, input, next)
    else if (line === "") this.#state = "size"
    else throw new ProtocolError("a chunk is longer than it says")
    return next
  }

  #size(line: string): void {
    const [, digits] = CHUNK_SIZE.exec(line) ?? []
    if (digits === undefined) throw new ProtocolError("a chunk does not tell its size")
    this.#left = Number.parseInt(digits, 16)
    this.#state = this.#left === 0 ? "trailer" : "chunk"
  }

  #trailerLine(line: string, input: Buffer, next: number): void {
    this.#trailer += line.length
    if (this.#trailer > LARGEST_TRAILER) throw new ProtocolError("the trailer is too long")
    if (line === "") this.#end(input, next)
  }

  #wait(input: Buffer, at: number, max: number): number {
    if (input.length - at > max) throw new ProtocolError("a line of the response is too long")
    this.#kept = input.subarray(at)
    return input.length
  }

  /** Data after a response belongs to no request, so its connection is not reused. */
  #end(input: Buffer, at: number): void {
    this.#state = "over"
    this.#listener.onEnd(this.#isKept && at === input.length)
  }
}
