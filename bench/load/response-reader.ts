const HEAD_END = "\r\n\r\n"
const LINE_END = "\r\n"
const NEW_LINE = 10
const STATUS_START = 9
const NONE = -2

/** Splits the bytes of one connection into responses and counts their frames. This is the minimum work of a client. */
export class ResponseReader {
  status = 0
  /** Number of frames of the current response so far. */
  frames = 0
  /** Number of chunks of the current body so far. */
  chunks = 0
  #rest: Buffer | undefined
  #isInBody = false
  #isChunked = false
  /**
   * Number of bytes that are missing from the body or from its current chunk, including the line break after the chunk.
   */
  #missing = 0
  #endsWithNewLine = false

  /**
   * Reads bytes.
   * @returns whether these bytes complete a response.
   */
  take(bytes: Buffer): boolean {
    let data = bytes
    if (this.#rest !== undefined) {
      data = Buffer.concat([this.#rest, bytes])
      this.#rest = undefined
    }
    let position = 0
    if (!this.#isInBody) {
      const end = data.indexOf(HEAD_END)
      if (end === -1) return this.#keep(data, 0)
      this.#readHead(data.toString("latin1", 0, end))
      position = end + HEAD_END.length
    }
    if (position < data.length) this.chunks++
    return this.#isChunked ? this.#takeChunks(data, position) : this.#takePlain(data, position)
  }

  /** Prepares for the next response. */
  reset(): void {
    this.frames = 0
    this.chunks = 0
  }

  #readHead(head: string): void {
    this.status = Number(head.slice(STATUS_START, STATUS_START + 3))
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)
    this.#isChunked = length === null
    this.#missing = Number(length?.[1] ?? 0)
    this.#isInBody = true
    this.#endsWithNewLine = false
  }

  #takePlain(data: Buffer, position: number): boolean {
    this.#missing -= data.length - position
    if (this.#missing > 0) return false
    return this.#end()
  }

  #takeChunks(data: Buffer, start: number): boolean {
    let position = start
    while (position < data.length) {
      if (this.#missing > 0) {
        position = this.#takeChunk(data, position)
        continue
      }
      const lineEnd = data.indexOf(LINE_END, position)
      if (lineEnd === -1) return this.#keep(data, position)
      const size = Number.parseInt(data.toString("latin1", position, lineEnd), 16)
      if (size === 0) {
        if (data.length < lineEnd + HEAD_END.length) return this.#keep(data, position)
        return this.#end()
      }
      position = lineEnd + LINE_END.length
      this.#missing = size + LINE_END.length
    }
    return false
  }

  #takeChunk(data: Buffer, position: number): number {
    const end = Math.min(data.length, position + this.#missing)
    const content = Math.min(end, position + this.#missing - LINE_END.length)
    this.#missing -= end - position
    let lone = this.#endsWithNewLine ? position - 1 : NONE
    let next = data.indexOf(NEW_LINE, position)
    while (next !== -1 && next < content) {
      const endsFrame = next === lone + 1
      if (endsFrame) this.frames++
      lone = endsFrame ? NONE : next
      next = data.indexOf(NEW_LINE, next + 1)
    }
    this.#endsWithNewLine = lone === content - 1
    return end
  }

  #keep(data: Buffer, position: number): false {
    // The bytes are copied, because the socket reuses its buffer for the next data.
    this.#rest = Buffer.from(data.subarray(position))
    return false
  }

  #end(): true {
    this.#isInBody = false
    return true
  }
}
