import { MAX_TOTAL_BYTES, unpack } from "./filters.ts"
import {
  isDictionary,
  nameOf,
  type PdfDictionary,
  PdfParser,
  type PdfValue,
  referenceOf,
  UnreadablePdf,
} from "./syntax.ts"

/** One definition of an object. */
export interface PdfObject {
  /** The value of the object; undefined if it could not be parsed. */
  readonly value: { readonly parsed: PdfValue } | undefined
  /** Position of the stream's content; undefined if the object has no stream. */
  readonly streamAt: number | undefined
}

const MAX_OBJECTS = 500_000
const MAX_HOPS = 16

/** Matches the start of an object's definition, with its number. */
const DEFINITION = /(?<!\d)(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+obj/g

/**
 * Matches a comment between the numbers of a definition, which would prevent `DEFINITION` from finding the object. No
 * PDF writer creates such a comment.
 */
const HIDDEN_DEFINITION = /%[^\r\n%]*[\r\n][\0\t\n\f\r ]*(?:\d{1,5}[\0\t\n\f\r ]+)?obj/

/**
 * The objects of a PDF, found by scanning the complete file. The cross-reference table is not used, so it cannot hide
 * an object. If an object is defined several times, all definitions are kept.
 */
export class PdfDocument {
  readonly objects = new Map<number, PdfObject[]>()
  readonly #bytes: Buffer
  readonly #text: string
  readonly #budget = PdfParser.newBudget()
  #count = 0
  #remainingBytes = MAX_TOTAL_BYTES

  /**
   * Reads the objects of a PDF.
   * @throws UnreadablePdf
   */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#text = bytes.toString("latin1")
    if (HIDDEN_DEFINITION.test(this.#text)) throw new UnreadablePdf()
    this.#readObjects()
    for (const object of [...this.objects.values()].flat()) this.#readObjectStream(object)
    if (this.#isEncrypted()) throw new UnreadablePdf()
  }

  /** Yields all dictionaries that are objects or parts of objects. */
  *dictionaries(): Generator<PdfDictionary> {
    for (const definitions of this.objects.values()) {
      for (const { value } of definitions) yield* dictionariesIn(value?.parsed)
    }
  }

  /**
   * Returns all possible meanings of a value: the value itself, or every definition of the object that it refers to.
   * @throws UnreadablePdf
   */
  meanings(value: PdfValue, hops = 0): readonly PdfValue[] {
    const reference = referenceOf(value)
    if (reference === undefined) return [value]
    if (hops > MAX_HOPS) throw new UnreadablePdf()
    return this.definitions(reference).flatMap((object) => {
      if (object.value === undefined) throw new UnreadablePdf()
      return this.meanings(object.value.parsed, hops + 1)
    })
  }

  definitions(number: number): readonly PdfObject[] {
    return this.objects.get(number) ?? []
  }

  /**
   * Returns the unpacked content of a stream.
   * @throws UnreadablePdf
   */
  content({ value, streamAt }: PdfObject): Uint8Array {
    if (streamAt === undefined || !isDictionary(value?.parsed)) throw new UnreadablePdf()
    const dictionary = value.parsed
    const packed = this.#bytes.subarray(streamAt, this.#streamEnd(dictionary, streamAt))
    const unpacked = unpack(dictionary, packed, (inner) => this.#only(inner))
    this.#remainingBytes -= packed.length + unpacked.length
    if (this.#remainingBytes < 0) throw new UnreadablePdf()
    return unpacked
  }

  /**
   * Returns the end of a stream. Readers use either the stated length or the keyword after the content, so the later of
   * the two is returned.
   */
  #streamEnd(dictionary: PdfDictionary, start: number): number {
    const found = this.#bytes.indexOf("endstream", start, "latin1")
    const end = found < 0 ? this.#bytes.length : found
    const lengths = this.meanings(dictionary.get("Length")).filter((one) => typeof one === "number")
    return Math.min(this.#bytes.length, Math.max(end, ...lengths.map((length) => start + length)))
  }

  /**
   * Returns the meaning of a value that must have exactly one meaning.
   * @throws UnreadablePdf
   */
  #only(value: PdfValue): PdfValue {
    const meanings = this.meanings(value)
    if (meanings.length > 1) throw new UnreadablePdf()
    return meanings[0]
  }

  #readObjects(): void {
    for (const match of this.#text.matchAll(DEFINITION)) {
      const parser = new PdfParser(this.#bytes, match.index + match[0].length, this.#budget)
      this.#add(Number(match[1]), readObject(parser, this.#bytes))
    }
  }

  /** Reads the objects packed into a stream (ISO 32000-1, 7.5.7). */
  #readObjectStream(object: PdfObject): void {
    const dictionary = object.value?.parsed
    if (object.streamAt === undefined || !isDictionary(dictionary)) return
    if (nameOf(this.#only(dictionary.get("Type"))) !== "ObjStm" && !dictionary.has("First")) return
    const content = this.content(object)
    const first = this.#only(dictionary.get("First"))
    const count = this.#only(dictionary.get("N"))
    if (typeof first !== "number" || typeof count !== "number") throw new UnreadablePdf()
    const head = new PdfParser(content, 0, this.#budget)
    for (let index = 0; index < count; index++) {
      const number = head.value()
      const offset = head.value()
      if (typeof number !== "number" || typeof offset !== "number") throw new UnreadablePdf()
      const parser = new PdfParser(content, first + offset, this.#budget)
      this.#add(number, { value: { parsed: parser.value() }, streamAt: undefined })
    }
  }

  #add(number: number, object: PdfObject): void {
    if (++this.#count > MAX_OBJECTS) throw new UnreadablePdf()
    const before = this.objects.get(number)
    if (before) before.push(object)
    else this.objects.set(number, [object])
  }

  #isEncrypted(): boolean {
    if (/\/Encrypt(?![A-Za-z])/.test(this.#text)) return true
    for (const dictionary of this.dictionaries()) if (dictionary.has("Encrypt")) return true
    return false
  }
}

function readObject(parser: PdfParser, bytes: Uint8Array): PdfObject {
  try {
    const parsed = parser.value()
    if (!isDictionary(parsed) || !parser.takes("stream")) {
      return { value: { parsed }, streamAt: undefined }
    }
    if (bytes[parser.at] === 13) parser.at++
    if (bytes[parser.at] === 10) parser.at++
    return { value: { parsed }, streamAt: parser.at }
  } catch (error) {
    // Packed data can look like an object. The error only matters if another object refers to this one.
    if (error instanceof UnreadablePdf) return { value: undefined, streamAt: undefined }
    throw error
  }
}

function* dictionariesIn(value: PdfValue): Generator<PdfDictionary> {
  if (Array.isArray(value)) {
    for (const inner of value as readonly PdfValue[]) yield* dictionariesIn(inner)
  } else if (isDictionary(value)) {
    yield value
    for (const inner of value.values()) {
      if (typeof inner === "object") yield* dictionariesIn(inner)
    }
  }
}
