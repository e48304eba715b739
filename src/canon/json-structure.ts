import { MAX_NUMBERED_MEMBERS, MAX_OBJECT_MEMBERS } from "#contract/request-limits.ts"
import type { LongSpans } from "./long-spans.ts"

const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const CLOSE_BRACE = 0x7d
const CLOSE_BRACKET = 0x5d
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const DIGIT_ZERO = 0x30
const DIGIT_NINE = 0x39

/**
 * Reports whether a text is nested deeper than `levels`. Only brackets open levels, so a text with few brackets is not
 * scanned further.
 */
export function isDeeperThan(text: string, levels: number): boolean {
  if (!hasManyOpenings(text, levels)) return false
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      index = endOfString(text, index)
      if (index === -1) return false
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > levels) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  return false
}

/**
 * Reports whether a text contains more than `max` opening brackets. Brackets within strings count
 * too.
 */
export function hasManyOpenings(text: string, max: number): boolean {
  return openingsIn(text, max) > max
}

/** Counts opening brackets, including those in strings. Stops counting slightly above `max`. */
function openingsIn(text: string, max = Infinity): number {
  let count = 0
  for (const opening of ["{", "["]) {
    for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at + 1)) {
      if (++count > max) return count
    }
  }
  return count
}

/** Returns the position of the closing quote of the string that starts at `start`; -1 if the string is not closed. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return -1
}

/**
 * Measured memory in bytes that each list or object, each member and each comma takes when parsed, in addition to the
 * text.
 */
const OPENING_BYTES = 64
const MEMBER_BYTES = 48
const COMMA_BYTES = 24

/** Returns the memory in bytes that the lists and objects of a short text may take. */
export function openingBytes(text: string): number {
  return openingsIn(text) * OPENING_BYTES
}

const MAX_COUNTED_LEVELS = 256

/**
 * Number of bytes that are scanned one by one before a search for the end of the string starts. Most strings are short.
 */
const SHORT_STRING_BYTES = 32

/** Observes the outer levels of JSON while it is scanned. */
export interface JsonObserver {
  /** The deepest observed level. The members of the outermost object are at level 1. */
  readonly maxDepth: number
  /** Called with a part of a string. The last part ends with the closing quote. */
  string(chunk: Buffer, start: number, end: number, depth: number): void
  colon(depth: number, at: number): void
  comma(depth: number, chunk: Buffer, at: number): void
  /** Called when a list or object opens a level. */
  open(depth: number): void
  close(depth: number, chunk: Buffer, at: number): void
  chunkEnd(chunk: Buffer): void
}

/** The objects to which a scanner reports. */
export interface ScanTargets {
  readonly observer?: JsonObserver | undefined
  /** Receives the positions of long values. */
  readonly spans?: LongSpans | undefined
}

/**
 * Scans JSON while it arrives, before it is parsed. It measures the depth, and the memory that the values take beyond
 * the text. It does not validate.
 */
export class JsonScanner {
  /** The largest number of nested levels so far. */
  deepest = 0
  /** The largest number of members of one object so far. */
  widest = 0
  #openings = 0
  #members = 0
  #numbered = 0
  #commas = 0
  #depth = 0
  /** The first byte of the last string that was read. */
  #firstByte = 0
  /**
   * Number of members of the open object at each level. Deeper levels are not counted, because deeper bodies are always
   * rejected.
   */
  readonly #membersAt = new Uint32Array(MAX_COUNTED_LEVELS)
  #isText = false
  #isEscaped = false
  readonly #topLevel = new TopLevelStrings()
  /** Number of bytes before the current chunk. */
  #offset = 0
  readonly #spans: LongSpans | undefined
  readonly #observer: JsonObserver | undefined
  readonly #observedDepth: number

  constructor({ observer, spans }: ScanTargets = {}) {
    this.#spans = spans
    this.#observer = observer
    this.#observedDepth = observer?.maxDepth ?? 0
  }

  /** The name of the body's member that is currently arriving. */
  get member(): string | undefined {
    return this.#topLevel.member
  }

  /** The value of the body's member `model`, once it has arrived. */
  get model(): string | undefined {
    return this.#topLevel.model
  }

  /** Whether every object and list has been closed. */
  get isClosed(): boolean {
    return this.#depth === 0
  }

  /** The number of all values, or slightly more: elements of lists and members of objects. */
  get count(): number {
    return this.#openings + this.#commas
  }

  /** The number of lists, objects and members. */
  get values(): number {
    return this.#openings + this.#members
  }

  /** The number of members whose names start with a digit, or with an escape that may encode a digit. */
  get numbered(): number {
    return this.#numbered
  }

  /** Whether listing the names of one object, or of all objects together, would take a long time. */
  get isTooWide(): boolean {
    return this.widest > MAX_OBJECT_MEMBERS || this.#numbered > MAX_NUMBERED_MEMBERS
  }

  /** The number of commas, which separate elements of lists and members of objects. */
  get elements(): number {
    return this.#commas
  }

  /** Memory in bytes that the values take when parsed, in addition to their text. */
  get bytes(): number {
    return (
      this.#openings * OPENING_BYTES + this.#members * MEMBER_BYTES + this.#commas * COMMA_BYTES
    )
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let at = 0
    while (at < bytes.length) {
      if (this.#isText) {
        const end = this.#string(bytes, at)
        if (this.#depth === 1) this.#topLevel.read(bytes, at, end, !this.#isText)
        if (this.#depth <= this.#observedDepth) this.#observer?.string(bytes, at, end, this.#depth)
        if (!this.#isText) this.#spans?.endText(this.#offset + end)
        at = end
      } else at = this.#plain(bytes, at)
    }
    this.#offset += bytes.length
    this.#observer?.chunkEnd(bytes)
  }

  /**
   * Scans the bytes outside of strings.
   * @returns the offset after the start of the next string, or the end of the chunk.
   */
  #plain(chunk: Buffer, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      const code = chunk[at]
      // Checked first, because lists of numbers consist of digits, points and minus signs.
      if (code !== undefined && code > COMMA && code < COLON) continue
      if (code === QUOTE) {
        this.#isText = true
        // A string whose first byte is in the next chunk is counted as if it started with a digit.
        this.#firstByte = chunk[at + 1] ?? BACKSLASH
        this.#spans?.startText(this.#offset + at)
        return at + 1
      }
      if (code === COMMA) {
        this.#commas++
        if (this.#depth === 1) this.#topLevel.comma()
        if (this.#depth <= this.#observedDepth) this.#observer?.comma(this.#depth, chunk, at)
      } else if (code === COLON) {
        this.#members++
        if (isDigitOrEscape(this.#firstByte)) this.#numbered++
        const members = (this.#membersAt[this.#depth] ?? 0) + 1
        this.#membersAt[this.#depth] = members
        if (members > this.widest) this.widest = members
        if (this.#depth === 1) this.#topLevel.colon()
        if (this.#depth <= this.#observedDepth) this.#observer?.colon(this.#depth, at)
        this.#spans?.colon()
      } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        this.#openings++
        if (++this.#depth > this.deepest) this.deepest = this.#depth
        this.#membersAt[this.#depth] = 0
        if (this.#depth <= this.#observedDepth) this.#observer?.open(this.#depth)
        this.#spans?.open(this.#offset + at, code === OPEN_BRACKET)
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        if (this.#depth <= this.#observedDepth) this.#observer?.close(this.#depth, chunk, at)
        this.#depth--
        this.#spans?.close(this.#offset + at + 1, code === CLOSE_BRACKET)
      }
    }
    return chunk.length
  }

  /**
   * Scans the bytes of a string.
   * @returns the offset after the end of the string, or the end of the chunk.
   */
  #string(chunk: Buffer, start: number): number {
    let at = start
    if (this.#isEscaped) {
      this.#isEscaped = false
      at++
    }
    const near = at + SHORT_STRING_BYTES
    while (at < chunk.length) {
      if (at >= near) return this.#longString(chunk, at)
      const code = chunk[at]
      if (code === QUOTE) {
        this.#isText = false
        return at + 1
      }
      at += code === BACKSLASH ? 2 : 1
    }
    this.#isEscaped = at > chunk.length
    return chunk.length
  }

  #longString(chunk: Buffer, start: number): number {
    const quote = chunk.indexOf(QUOTE, start)
    const end = quote === -1 ? chunk.length : quote
    let escapes = 0
    while (end - 1 - escapes >= start && chunk[end - 1 - escapes] === BACKSLASH) escapes++
    const isEscaped = escapes % 2 === 1
    if (quote === -1) {
      this.#isEscaped = isEscaped
      return chunk.length
    }
    if (!isEscaped) this.#isText = false
    return end + 1
  }
}

function isDigitOrEscape(byte: number): boolean {
  return (byte >= DIGIT_ZERO && byte <= DIGIT_NINE) || byte === BACKSLASH
}

/** Maximum length in bytes of the member names and model names that are read. */
const MAX_NAME_BYTES = 300
/** Maximum number of members that are read. No valid body has more. */
const MAX_MEMBERS = 1_000
const PLAIN = /^[ !#-[\]-~]*$/

/**
 * Reads the member names of a body, and the value of `model`, which is needed before the body is
 * complete.
 */
class TopLevelStrings {
  member: string | undefined
  model: string | undefined
  #text = ""
  #isValue = false
  #remainingMembers = MAX_MEMBERS

  /**
   * Reads a part of a string.
   * @param isOver whether the part ends with the closing quote.
   */
  read(bytes: Buffer, start: number, end: number, isOver: boolean): void {
    if (this.#remainingMembers === 0) return
    if (this.#text.length <= MAX_NAME_BYTES) {
      this.#text += bytes.toString("latin1", start, Math.min(end, start + MAX_NAME_BYTES + 1))
    }
    if (!isOver) return
    if (!this.#isValue) this.#begin(this.#string())
    else if (this.member === "model") this.model = this.#string()
    this.#text = ""
  }

  colon(): void {
    this.#isValue = true
  }

  comma(): void {
    this.#isValue = false
  }

  #begin(member: string | undefined): void {
    this.member = member
    this.#remainingMembers--
    // A later duplicate of `model` could follow, and the last duplicate would be used.
    if (this.#remainingMembers === 0) this.model = undefined
  }

  #string(): string | undefined {
    if (this.#text.length > MAX_NAME_BYTES) return undefined
    const text = this.#text.slice(0, -1)
    if (PLAIN.test(text)) return text
    try {
      return JSON.parse(`"${Buffer.from(text, "latin1").toString()}"`) as string
    } catch {
      return undefined
    }
  }
}
