import type { PdfDocument } from "./document.ts"
import { isList, nameOf, type PdfValue, referenceOf, UnreadablePdf } from "./syntax.ts"

/** Maximum bytes of a character in UTF-8, unless a font maps its code to more. */
const CHARACTER_BYTES = 3
const MAX_MAPPINGS = 2_000_000

/** Maximum UTF-8 bytes of the text for each code in a string, over all fonts of a document. */
export interface CodeWeights {
  /** Maximum number of bytes for each one-byte code. */
  readonly single: Uint16Array | undefined
  /** Maximum bytes for each two-byte code; undefined if no font has two-byte codes. */
  readonly double: Uint16Array | undefined
  /** Maximum bytes for each byte of a string with unknown codes. */
  readonly worst: number
}

/**
 * Returns the maximum bytes for each code.
 * @throws UnreadablePdf
 */
export function codeWeights(document: PdfDocument): CodeWeights {
  const single = new Uint16Array(256).fill(CHARACTER_BYTES)
  // These codes are letters, digits and most punctuation, which have one byte. The two quotes are other characters in
  // some encodings.
  for (let code = 0; code < 0x80; code++) single[code] = code === 0x27 || code === 0x60 ? 3 : 1
  const double = new Uint16Array(65_536)
  const fonts = { hasSingle: false, hasDouble: false, hasOther: false }
  const maps = new Set<number>()
  for (const dictionary of document.dictionaries()) {
    const kind = nameOf(dictionary.get("Subtype"))
    if (kind === "Type0") {
      const isDouble = /^Identity-[HV]$/.test(nameOf(dictionary.get("Encoding")) ?? "")
      if (isDouble) fonts.hasDouble = true
      else fonts.hasOther = true
    } else if (kind !== undefined && /^(Type[13]|MMType1|TrueType)$/.test(kind)) {
      fonts.hasSingle = true
    }
    const map = referenceOf(dictionary.get("ToUnicode"))
    if (map !== undefined) maps.add(map)
    for (const list of document.meanings(dictionary.get("Differences"))) addNames(single, list)
  }
  const weights = new MapReader(single, double)
  for (const map of maps)
    for (const one of document.definitions(map)) weights.read(document.content(one))
  // A code without a mapping counts as an ordinary character.
  for (const [code, bytes] of double.entries()) if (bytes === 0) double[code] = CHARACTER_BYTES
  const isUnknown = !fonts.hasSingle && !fonts.hasDouble
  return {
    single:
      fonts.hasSingle || fonts.hasOther || isUnknown
        ? withOther(single, fonts.hasOther)
        : undefined,
    double: fonts.hasDouble || isUnknown ? double : undefined,
    worst: Math.max(...single, Math.ceil(weights.max / 2)),
  }
}

/** Counts each byte as a complete character if a font has another encoding, whose codes have one to four bytes. */
function withOther(single: Uint16Array, hasOther: boolean): Uint16Array {
  return hasOther ? single.map((bytes) => Math.max(bytes, CHARACTER_BYTES)) : single
}

/**
 * Adds glyph names that replace glyphs of an encoding. A number in the list starts a new sequence of codes (ISO
 * 32000-1, 9.6.6.1).
 */
function addNames(single: Uint16Array, list: PdfValue): void {
  if (!isList(list)) return
  let code = 0
  for (const item of list) {
    if (typeof item === "number") code = item
    else {
      const name = nameOf(item) ?? ""
      if (code >= 0 && code < 256) single[code] = Math.max(single[code] ?? 0, nameBytes(name))
      code++
    }
  }
}

/** Returns the maximum UTF-8 bytes of the text for a glyph name (Adobe Glyph List Specification, 2). */
function nameBytes(name: string): number {
  if (name.length <= 1) return 1
  return name.split("_").reduce((sum, part) => {
    const isCode = /^u(ni)?[\dA-F]{4,}/.test(part)
    return sum + (isCode ? Math.ceil(part.length / 4) * CHARACTER_BYTES + 1 : CHARACTER_BYTES)
  }, 0)
}

const SECTION = /begin(bfchar|bfrange)/g
const TOKENS = /<([\da-fA-F\s]*)>|[[\]]/g

/** Yields the sections of a map, each from its `begin` to its `end` operator. */
function* sectionsOf(text: string): Generator<{ kind: string; section: string }> {
  SECTION.lastIndex = 0
  for (;;) {
    const [begin, kind = ""] = SECTION.exec(text) ?? []
    if (begin === undefined) return
    const end = text.indexOf(`end${kind}`, SECTION.lastIndex)
    if (end < 0) return
    yield { kind, section: text.slice(SECTION.lastIndex, end) }
    SECTION.lastIndex = end
  }
}

/** Reads maps from codes to text (ISO 32000-1, 9.10.3). */
class MapReader {
  /** Maximum bytes of any code in the maps that were read. */
  max = CHARACTER_BYTES
  readonly #single: Uint16Array
  readonly #double: Uint16Array
  #remaining = MAX_MAPPINGS

  constructor(single: Uint16Array, double: Uint16Array) {
    this.#single = single
    this.#double = double
  }

  read(map: Uint8Array): void {
    const text = Buffer.from(map).toString("latin1")
    for (const { kind, section } of sectionsOf(text)) {
      const tokens = [...section.matchAll(TOKENS)].map(
        ([mark, digits]) => digits?.replaceAll(/\s/g, "") ?? mark,
      )
      if (kind === "bfchar") this.#characters(tokens)
      else this.#ranges(tokens)
    }
  }

  #characters(tokens: readonly string[]): void {
    for (let at = 0; at + 1 < tokens.length; at += 2) {
      this.#set(tokens[at] ?? "", 0, utf8Bytes(tokens[at + 1] ?? "", 0))
    }
  }

  #ranges(tokens: readonly string[]): void {
    for (let at = 0; at + 2 < tokens.length; at += 3) {
      const [first = "", last = "", target = ""] = tokens.slice(at, at + 3)
      const count = Number.parseInt(last, 16) - Number.parseInt(first, 16) + 1
      if (target === "[") {
        at += 3
        for (let index = 0; at < tokens.length && tokens[at] !== "]"; at++, index++) {
          this.#set(first, index, utf8Bytes(tokens[at] ?? "", 0))
        }
        at -= 2
      } else {
        for (let index = 0; index < count; index++)
          this.#set(first, index, utf8Bytes(target, index))
      }
    }
  }

  #set(code: string, offset: number, bytes: number): void {
    if (--this.#remaining < 0) throw new UnreadablePdf()
    const value = Number.parseInt(code, 16) + offset
    this.max = Math.max(this.max, bytes)
    if (code.length <= 2 && value < 256)
      this.#single[value] = Math.max(this.#single[value] ?? 0, bytes)
    else if (code.length <= 4 && value < 65_536) {
      this.#double[value] = Math.max(this.#double[value] ?? 0, bytes)
    } else throw new UnreadablePdf()
  }
}

/**
 * Returns the UTF-8 bytes of a text in UTF-16.
 * @param digits the text as hexadecimal digits.
 * @param added amount by which the code of its last character is increased.
 */
function utf8Bytes(digits: string, added: number): number {
  if (digits.length <= 4) return characterBytes(Number.parseInt(digits || "0", 16) + added)
  let bytes = 0
  for (let at = 0; at < digits.length; at += 4) {
    bytes += characterBytes(Number.parseInt(digits.slice(at, at + 4), 16))
  }
  return bytes + (added > 0 ? CHARACTER_BYTES : 0)
}

function characterBytes(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : CHARACTER_BYTES
}
