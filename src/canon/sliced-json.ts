import { type JsonObject, type JsonValue, parseExactly } from "./json.ts"
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  cutOfString,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  outlineOf,
  QUOTE,
  skipBlanks,
} from "./json-bytes.ts"
import { ownTurn } from "./next-turn.ts"

/** Bytes that are parsed in one turn of the event loop. The worst case takes about five milliseconds. */
export const SLICE_BYTES = 256 * 1024

const BYTE_ORDER_MARK = Buffer.from("\uFEFF")
/** A byte order mark within the text is treated as an ordinary character. */
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * Parses JSON like `parseExactly`, but in slices. Other requests are served in a turn of the event loop after each
 * slice. A single name or number may not be longer than a slice.
 * @throws SyntaxError
 */
export async function parseInSlices(bytes: Buffer): Promise<JsonValue> {
  return await new SlicedParser(bytes).parse()
}

/** A list or object whose end has not been read. */
interface Container {
  /** The code of the bracket that closes the container. */
  readonly close: number
  /**
   * Adds elements.
   * @param text the JSON of the elements, without the brackets around them.
   */
  addSlice(text: string): void
  /** Reads the text before a value, which is the name of a member in an object. */
  begin(text: string): void
  /** Adds the value that `begin` announced. */
  add(value: JsonValue): void
}

class SlicedParser {
  readonly #bytes: Buffer
  readonly #open: Container[] = []
  #at = 0
  #root: JsonValue = null
  /** Whether the last read token was a value, so that a comma or the closing bracket must follow. */
  #isBehindValue = false
  /** Whether no element of the innermost container has been read yet. */
  #isFirst = true

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  async parse(): Promise<JsonValue> {
    const bytes = this.#bytes
    if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) {
      this.#at = BYTE_ORDER_MARK.length
    }
    await ownTurn()
    if (bytes.length - this.#at <= SLICE_BYTES) {
      return parseExactly(this.#text(this.#at, bytes.length))
    }
    await this.#skipBlanks()
    await this.#longValue()
    while (this.#open.length > 0) {
      await ownTurn()
      if (this.#isBehindValue) await this.#separator()
      else if (!this.#elements()) await this.#longElement()
    }
    await this.#skipBlanks()
    if (this.#at < bytes.length) throw this.#unexpected("the end")
    return this.#root
  }

  /** The innermost open container. */
  get #inner(): Container | undefined {
    return this.#open.at(-1)
  }

  /**
   * Reads all complete elements within a slice, at any level.
   * @returns false if no element is complete.
   */
  #elements(): boolean {
    const { closing, openings, commas } = outlineOf(this.#bytes, this.#at, SLICE_BYTES)
    if (closing !== -1) {
      this.#addSlice(closing, true)
      return true
    }
    for (const [level, comma] of commas.entries()) {
      if (comma !== -1) this.#addSlice(comma, false)
      const opening = openings[level]
      if (opening === undefined) continue
      this.#inner?.begin(this.#text(this.#at, opening))
      this.#at = opening
      this.#enter()
    }
    return openings.length > 0 || commas[0] !== -1
  }

  /**
   * Adds the elements before an offset.
   * @param end the offset of the comma or bracket after the elements.
   */
  #addSlice(end: number, isLast: boolean): void {
    const text = this.#text(this.#at, end)
    const isEmpty = text.trim() === ""
    if (isEmpty && !(isLast && this.#isFirst)) throw this.#unexpected("a value")
    if (!isEmpty) this.#inner?.addSlice(text)
    this.#at = end
    this.#isFirst = false
    if (isLast) this.#leave()
    else this.#at++
  }

  /** Reads one element that does not end within a slice. */
  async #longElement(): Promise<void> {
    const start = this.#at
    await this.#skipBlanks()
    if (this.#at > start) return
    const container = this.#inner
    if (container?.close === CLOSE_BRACE) {
      container.begin(await this.#name())
      await this.#skipBlanks()
    } else container?.begin("")
    await this.#longValue()
  }

  /** Reads the name of a member with its colon. */
  async #name(): Promise<string> {
    const bytes = this.#bytes
    const start = this.#at
    const limit = Math.min(bytes.length, start + SLICE_BYTES)
    const end = bytes[start] === QUOTE ? endOfString(bytes, start + 1, limit) : -1
    if (end === -1) throw this.#unexpected("a shorter name")
    this.#at = end + 1
    await this.#skipBlanks()
    if (bytes[this.#at] !== COLON) throw this.#unexpected("':'")
    this.#at++
    return `${this.#text(start, end + 1)}:`
  }

  async #longValue(): Promise<void> {
    const code = this.#bytes[this.#at]
    if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#enter()
    else this.#add(code === QUOTE ? await this.#longString() : this.#scalar())
  }

  /** Starts a list or object. */
  #enter(): void {
    const isObject = this.#bytes[this.#at] === OPEN_BRACE
    const container = isObject ? new OpenObject() : new OpenList()
    this.#add(container.value)
    this.#open.push(container)
    this.#at++
    this.#isBehindValue = false
    this.#isFirst = true
  }

  #leave(): void {
    if (this.#bytes[this.#at] !== this.#inner?.close) throw this.#unexpected("another bracket")
    this.#open.pop()
    this.#at++
    this.#isBehindValue = true
    this.#isFirst = false
  }

  #add(value: JsonValue): void {
    if (this.#open.length === 0) this.#root = value
    else this.#inner?.add(value)
    this.#isBehindValue = true
    this.#isFirst = false
  }

  async #separator(): Promise<void> {
    await this.#skipBlanks()
    if (this.#bytes[this.#at] !== COMMA) return this.#leave()
    this.#at++
    this.#isBehindValue = false
  }

  async #longString(): Promise<string> {
    const bytes = this.#bytes
    const pieces: string[] = []
    this.#at++
    for (;;) {
      const limit = Math.min(bytes.length, this.#at + SLICE_BYTES)
      const quote = endOfString(bytes, this.#at, limit)
      if (quote === -1 && limit === bytes.length) throw this.#unexpected("the end of a string")
      const end = quote === -1 ? cutOfString(bytes, this.#at, limit) : quote
      pieces.push(JSON.parse(`"${this.#text(this.#at, end)}"`) as string)
      this.#at = quote === -1 ? end : end + 1
      if (quote !== -1) return pieces.join("")
      await ownTurn()
    }
  }

  /** Reads a number or a word. */
  #scalar(): JsonValue {
    const start = this.#at
    const [text = ""] = /^[^\s,\]}]*/.exec(this.#text(start, start + SLICE_BYTES)) ?? []
    if (text.length >= SLICE_BYTES) throw this.#unexpected("a shorter number")
    this.#at += Buffer.byteLength(text)
    return parseExactly(text)
  }

  async #skipBlanks(): Promise<void> {
    for (;;) {
      const at = skipBlanks(this.#bytes, this.#at, SLICE_BYTES)
      const isWhole = at === this.#at + SLICE_BYTES
      this.#at = at
      if (!isWhole) return
      await ownTurn()
    }
  }

  #text(start: number, end: number): string {
    return DECODER.decode(this.#bytes.subarray(start, end))
  }

  #unexpected(wanted: string): SyntaxError {
    return new SyntaxError(`Expected ${wanted} at byte ${this.#at}`)
  }
}

class OpenList implements Container {
  readonly close = CLOSE_BRACKET
  readonly value: JsonValue[] = []

  addSlice(text: string): void {
    for (const element of parseExactly(`[${text}]`) as JsonValue[]) this.value.push(element)
  }

  begin(text: string): void {
    if (text.trim() !== "") throw new SyntaxError("Expected a comma before a value")
  }

  add(value: JsonValue): void {
    this.value.push(value)
  }
}

class OpenObject implements Container {
  readonly close = CLOSE_BRACE
  readonly value: JsonObject = {}
  #name = ""

  addSlice(text: string): void {
    const members = parseExactly(`{${text}}`) as JsonObject
    for (const name in members) this.#set(name, members[name])
  }

  begin(text: string): void {
    const [name = ""] = Object.keys(JSON.parse(`{${text}0}`) as JsonObject)
    this.#name = name
  }

  add(value: JsonValue): void {
    this.#set(this.#name, value)
  }

  /** Sets a member. A plain assignment to `__proto__` would change the prototype instead. */
  #set(name: string, value: JsonValue | undefined): void {
    if (name !== "__proto__") this.value[name] = value
    else Object.defineProperty(this.value, name, { value, ...ORDINARY })
  }
}

const ORDINARY = { enumerable: true, configurable: true, writable: true }
