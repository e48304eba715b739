export const QUOTE = 0x22
export const COLON = 0x3a
export const COMMA = 0x2c
export const OPEN_BRACE = 0x7b
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACE = 0x7d
export const CLOSE_BRACKET = 0x5d
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const SPACE = 0x20
const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
/** The length of a Unicode escape such as `\u0041`. */
const MAX_ESCAPE_BYTES = 6
const MAX_CHARACTER_BYTES = 4

/** The structure of a part of a JSON text. The part starts with an element of a list or a member of an object. */
export interface Outline {
  /** The position of the bracket that closes the list or object; -1 if the bracket is beyond the part. */
  readonly closing: number
  /** The positions of the brackets that are open at the end of the part, outermost first. */
  readonly openings: readonly number[]
  /** The position of the last comma of each level, outermost first; -1 for a level without commas. */
  readonly commas: readonly number[]
}

/** Scans at most `limit` bytes, and stops at the bracket that closes the surrounding list or object. */
export function outlineOf(bytes: Buffer, start: number, limit: number): Outline {
  const end = Math.min(bytes.length, start + limit)
  const openings: number[] = []
  const commas = [-1]
  for (let at = start; at < end; at++) {
    const code = bytes[at]
    if (code === QUOTE) {
      at = endOfString(bytes, at + 1, end)
      if (at === -1) break
    } else if (code === COMMA) commas[openings.length] = at
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      openings.push(at)
      commas.push(-1)
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (openings.length === 0) return { closing: at, openings, commas }
      openings.pop()
      commas.pop()
    }
  }
  return { closing: -1, openings, commas }
}

/**
 * Returns the position of the closing quote of a string whose content starts at `start`; -1 if it is not in the range.
 */
export function endOfString(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const code = bytes[at]
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return -1
}

/**
 * Returns the last offset up to `limit` at which a string can be cut without splitting an escape or
 * a character.
 */
export function cutOfString(bytes: Buffer, start: number, limit: number): number {
  let cut = limit
  while (isContinuation(bytes[cut]) && limit - cut < MAX_CHARACTER_BYTES) cut--
  const last = lastBackslash(bytes, Math.max(start, cut - MAX_ESCAPE_BYTES), cut)
  if (last === -1) return cut
  let before = last
  while (before > start && bytes[before - 1] === BACKSLASH) before--
  const isEscaped = (last - before) % 2 === 1
  if (isEscaped) return cut
  const length = bytes[last + 1] === LETTER_U ? MAX_ESCAPE_BYTES : 2
  return last + length > cut ? last : cut
}

/**
 * Returns the position of the last backslash in the range; -1 if the range has no backslash. `lastIndexOf` would search
 * back to the start of the buffer.
 */
function lastBackslash(bytes: Buffer, start: number, end: number): number {
  let at = end - 1
  while (at >= start && bytes[at] !== BACKSLASH) at--
  return at < start ? -1 : at
}

/** Returns the offset of the next byte that is not white space. It scans at most `limit` bytes. */
export function skipBlanks(bytes: Buffer, start: number, limit: number): number {
  const end = Math.min(bytes.length, start + limit)
  let at = start
  while (at < end && isBlank(bytes[at])) at++
  return at
}

function isBlank(code: number | undefined): boolean {
  return code === SPACE || code === TAB || code === LINE_FEED || code === CARRIAGE_RETURN
}

/** Reports whether a byte of UTF-8 continues a character. */
function isContinuation(code: number | undefined): boolean {
  return code !== undefined && (code & 0xc0) === 0x80
}
