import type { CodeWeights } from "./code-weights.ts"
import { decodeName } from "./syntax.ts"

/** The text of a content stream, and the objects that it draws. */
export interface ContentText {
  /** Maximum UTF-8 bytes of the stream's own strings. */
  readonly bytes: number
  /** Number of times that the stream draws each external object, by name. */
  readonly drawn: ReadonlyMap<string, number>
  /** Number of times that the stream marks content with properties, which may define another text for the content. */
  readonly marked: number
}

/**
 * Matches an operator that draws an object, with the name of the object. If a comment follows the name, only the second
 * expression matches, so the name is unknown.
 */
const DRAWN = /\/([^\0\t\n\f\r ()<>[\]{}/%]*)[\0\t\n\f\r ]+Do(?![^\0\t\n\f\r ()<>[\]{}/%])/g
const ALL_DRAWN = /(?<![^\0\t\n\f\r ()<>[\]{}/%])Do(?![^\0\t\n\f\r ()<>[\]{}/%])/g
const MARKED = /(?:BDC|DP)(?![A-Za-z])/g
/** Matches the start of inline image data, which is not text and may contain any bytes. */
const INLINE_IMAGE = /(?<![A-Za-z\d/])ID[\0\t\n\f\r ]/

/** Bytes of the space or line break that readers put between two separate strings. */
const SPACE = 1

/** Reads a content stream; undefined if it draws an object that cannot be determined. */
export function contentText(content: Uint8Array, weights: CodeWeights): ContentText | undefined {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString("latin1")
  const drawn = new Map<string, number>()
  let named = 0
  for (const [, name = ""] of text.matchAll(DRAWN)) {
    const decoded = decodeName(name)
    drawn.set(decoded, (drawn.get(decoded) ?? 0) + 1)
    named++
  }
  const marked = text.match(MARKED)?.length ?? 0
  const strings = INLINE_IMAGE.test(text) ? undefined : readStrings(content, weights)
  const allDrawn = strings?.drawn ?? text.match(ALL_DRAWN)?.length ?? 0
  if (allDrawn > named) return undefined
  return { bytes: strings?.bytes ?? content.length * weights.worst, drawn, marked }
}

const [OPEN, CLOSE, LESS, GREATER] = [0x28, 0x29, 0x3c, 0x3e]
const [PERCENT, BACKSLASH, D, O] = [0x25, 0x5c, 0x44, 0x6f]

interface Strings {
  /** Maximum UTF-8 bytes of all strings. */
  readonly bytes: number
  /** Number of drawing operators outside of strings. */
  readonly drawn: number
}

/** Reads all strings of a stream; undefined if they are malformed. */
function readStrings(content: Uint8Array, weights: CodeWeights): Strings | undefined {
  let bytes = 0
  let drawn = 0
  for (let at = 0; at < content.length; at++) {
    const byte = content[at]
    if (byte === PERCENT) {
      while (at < content.length && content[at] !== 10 && content[at] !== 13) at++
    } else if (byte === CLOSE) return undefined
    else if (byte === OPEN) {
      const start = at + 1
      let depth = 1
      while (depth > 0) {
        const inner = content[++at]
        if (inner === undefined) return undefined
        if (inner === BACKSLASH) at++
        else if (inner === OPEN) depth++
        else if (inner === CLOSE) depth--
      }
      bytes += literalWeight(content, start, at, weights) + SPACE
    } else if (byte === LESS) {
      if (content[at + 1] === LESS) at++
      else {
        const end = content.indexOf(GREATER, at)
        if (end < 0) return undefined
        bytes += hexWeight(content, at + 1, end, weights) + SPACE
        at = end
      }
    } else if (byte === D && content[at + 1] === O && !isRegular(content[at + 2])) {
      if (!isRegular(content[at - 1])) drawn++
    }
  }
  return { bytes, drawn }
}

/** Reports whether a byte continues a name or an operator. */
function isRegular(byte: number | undefined): boolean {
  return byte !== undefined && /[^\0\t\n\f\r ()<>[\]{}/%]/.test(String.fromCharCode(byte))
}

function literalWeight(
  content: Uint8Array,
  start: number,
  end: number,
  weights: CodeWeights,
): number {
  const part = content.subarray(start, end)
  return weightOf(part.includes(BACKSLASH) ? unescaped(part) : part, weights)
}

/** Resolves the escapes in a string (ISO 32000-1, 7.3.4.2). */
function unescaped(part: Uint8Array): Uint8Array {
  const text = Buffer.from(part)
    .toString("latin1")
    .replaceAll(/\\([0-7]{1,3}|\r\n|[^])/g, (_, escaped: string) => {
      if (/^[0-7]/.test(escaped)) return String.fromCharCode(Number.parseInt(escaped, 8) & 0xff)
      return /[\r\n]/.test(escaped) ? "" : (CONTROLS[escaped] ?? escaped)
    })
  return Buffer.from(text, "latin1")
}

const CONTROLS: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
}

function hexWeight(content: Uint8Array, start: number, end: number, weights: CodeWeights): number {
  const digits = Buffer.from(content.subarray(start, end)).toString("latin1")
  const clean = digits.replaceAll(/[^\da-fA-F]/g, "")
  return weightOf(Buffer.from(clean.length % 2 === 0 ? clean : `${clean}0`, "hex"), weights)
}

function weightOf(codes: Uint8Array, { single, double, worst }: CodeWeights): number {
  let ofSingle = 0
  let ofDouble = 0
  if (single) for (const code of codes) ofSingle += single[code] ?? worst
  if (double) {
    for (let at = 0; at < codes.length; at += 2) {
      ofDouble += double[((codes[at] ?? 0) << 8) | (codes[at + 1] ?? 0)] ?? worst
    }
  }
  return Math.max(ofSingle, ofDouble)
}
