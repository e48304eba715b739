/** The error for a response that is not HTTP/1.1, or whose end is ambiguous. */
export class ProtocolError extends Error {}

const LINE_END = "\r\n"
/** Matches header lines that all parsers read in the same way. */
const CLEAR_LINES = /^(?:\r\n[\w!#$%&'*+\-.^`|~]+:[^\r\n\0]*)*$/
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |\r|$)/

/** How the end of a body is determined (RFC 9112, section 6.3). */
export type Framing =
  | { readonly type: "length"; readonly bytes: number }
  | { readonly type: "chunked" }
  | { readonly type: "until-close" }

/**
 * The status line and the headers of a response. A header is only searched for when it is read, because most headers
 * are never read.
 */
export class ResponseHead {
  readonly status: number
  readonly #isOld: boolean
  /** All lines after the first, each with the line break before it. */
  readonly #lines: string
  readonly #lowered: string
  readonly #length: string | null
  readonly #coding: string | null

  /**
   * @param text the head without the empty line at its end.
   * @throws ProtocolError if the head is invalid.
   */
  constructor(text: string) {
    const [, minor, status] = STATUS_LINE.exec(text) ?? []
    if (status === undefined) throw new ProtocolError("the response has no HTTP/1.1 status line")
    this.status = Number(status)
    this.#isOld = minor === "0"
    const end = text.indexOf(LINE_END)
    this.#lines = end === -1 ? "" : text.slice(end)
    this.#lowered = this.#lines.toLowerCase()
    this.#length = this.#find("\r\ncontent-length:")
    this.#coding = this.#find("\r\ntransfer-encoding:")
  }

  /**
   * Returns the values of a header, joined by commas, or null if the header is absent.
   * @param name the name in lowercase.
   */
  get(name: string): string | null {
    return this.#find(`${LINE_END}${name}:`)
  }

  /**
   * Returns the values of a header.
   * @param start the start of a header line: the line break before it, the name and the colon.
   */
  #find(start: string): string | null {
    let found: string | null = null
    for (let at = this.#lowered.indexOf(start); at !== -1;) {
      const from = at + start.length
      const end = this.#lowered.indexOf(LINE_END, from)
      const value = this.#lines.slice(from, end === -1 ? undefined : end).trim()
      found = found === null ? value : `${found}, ${value}`
      at = end === -1 ? -1 : this.#lowered.indexOf(start, end)
    }
    return found
  }

  /** Whether the status determines that the response has no body, regardless of its headers. */
  get #isBodiless(): boolean {
    return this.status === 204 || this.status === 304
  }

  /**
   * Returns how the end of the body is determined.
   * @throws ProtocolError if the end is ambiguous.
   */
  framing(): Framing {
    if (this.#isBodiless) return { type: "length", bytes: 0 }
    const coding = this.#coding
    const length = this.#length
    if (coding !== null) {
      if (coding.toLowerCase() !== "chunked") {
        throw new ProtocolError("the response uses an unrequested transfer coding")
      }
      return { type: "chunked" }
    }
    if (length === null) return { type: "until-close" }
    if (!/^\d{1,15}$/.test(length))
      throw new ProtocolError("the length of the response is not a number")
    return { type: "length", bytes: Number(length) }
  }

  /**
   * Whether the connection can be reused. The server must allow it, and the end of this response must be unambiguous.
   * Two conflicting lengths may be an attempt at response smuggling.
   */
  get isReusable(): boolean {
    if (this.#isOld || !CLEAR_LINES.test(this.#lines)) return false
    const length = this.#length
    if (this.#coding !== null && (length !== null || this.#isBodiless)) return false
    if (this.#isBodiless && length !== null && length !== "0") return false
    const options = this.#find("\r\nconnection:")
    return options === null || !/(^|[\s,])close([\s,]|$)/i.test(options)
  }
}
