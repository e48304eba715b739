import { codeWeights, type CodeWeights } from "./code-weights.ts"
import { contentText } from "./content-text.ts"
import { PdfDocument, type PdfObject } from "./document.ts"
import { listOf } from "./filters.ts"
import {
  isDictionary,
  nameOf,
  type PdfDictionary,
  type PdfValue,
  referenceOf,
  UnreadablePdf,
} from "./syntax.ts"

/** The maximum extent of a PDF as a vendor may read it. */
export interface PdfExtent {
  readonly pages: number
  /** Maximum UTF-8 bytes of the text of all pages. Text that several pages show is counted once for each page. */
  readonly textBytes: number
}

const MAX_DEPTH = 64
const NOTHING: PdfExtent = { pages: 0, textBytes: 0 }

/** Counts the pages and the text of a PDF; undefined if they cannot be determined. */
export function pdfExtent(bytes: Buffer): PdfExtent | undefined {
  try {
    const extent = new PageReader(new PdfDocument(bytes)).read()
    return extent.pages > 0 ? extent : undefined
  } catch (error) {
    if (error instanceof UnreadablePdf) return undefined
    throw error
  }
}

/** Measures the text of each object. The text of an object is measured only once, even if it is used several times. */
class PageReader {
  readonly #document: PdfDocument
  readonly #weights: CodeWeights
  /** All external objects of a name, from all resources of the document. */
  readonly #anyNamed = new Map<string, PdfValue[]>()
  /** Maximum UTF-8 bytes of text that a list of properties defines for marked content. */
  #propertyBytes = 0
  readonly #nodes = new Map<number, PdfExtent | "counting">()
  readonly #streams = new Map<number, number | "counting">()

  constructor(document: PdfDocument) {
    this.#document = document
    this.#weights = codeWeights(document)
    for (const dictionary of document.dictionaries()) this.#note(dictionary)
  }

  /** Returns the maximum over all page trees, because a vendor may read any of them. */
  read(): PdfExtent {
    let pages = 0
    let textBytes = 0
    for (const root of this.#roots()) {
      const extent = this.#node(root, 0)
      pages = Math.max(pages, extent.pages)
      textBytes = Math.max(textBytes, extent.textBytes)
    }
    return { pages, textBytes }
  }

  #roots(): Set<number> {
    const roots = new Set<number>()
    for (const [number, definitions] of this.#document.objects) {
      for (const { value } of definitions) {
        if (!isDictionary(value?.parsed)) continue
        if (nameOf(value.parsed.get("Type")) === "Pages") roots.add(number)
        const named = referenceOf(value.parsed.get("Pages"))
        if (named !== undefined) roots.add(named)
      }
    }
    return roots
  }

  #note(dictionary: PdfDictionary): void {
    for (const objects of this.#dictionariesOf(dictionary.get("XObject"))) {
      for (const [name, object] of objects) {
        this.#anyNamed.set(name, [...(this.#anyNamed.get(name) ?? []), object])
      }
    }
    for (const properties of this.#dictionariesOf(dictionary.get("Properties"))) {
      for (const list of properties.values()) {
        for (const one of this.#dictionariesOf(list)) {
          const texts = ["ActualText", "Alt", "E"].map((name) => this.#textOf(one.get(name)))
          this.#propertyBytes = Math.max(this.#propertyBytes, ...texts)
        }
      }
    }
  }

  #node(number: number, depth: number): PdfExtent {
    const known = this.#nodes.get(number)
    if (known === "counting" || depth > MAX_DEPTH) throw new UnreadablePdf()
    if (known) return known
    this.#nodes.set(number, "counting")
    const extent = this.#document.definitions(number).reduce((largest, { value }) => {
      if (value === undefined) throw new UnreadablePdf()
      const one = isDictionary(value.parsed) ? this.#dictionaryNode(value.parsed, depth) : NOTHING
      return {
        pages: Math.max(largest.pages, one.pages),
        textBytes: Math.max(largest.textBytes, one.textBytes),
      }
    }, NOTHING)
    this.#nodes.set(number, extent)
    return extent
  }

  #dictionaryNode(dictionary: PdfDictionary, depth: number): PdfExtent {
    if (!dictionary.has("Kids")) return { pages: 1, textBytes: this.#pageBytes(dictionary) }
    let pages = 0
    let textBytes = 0
    for (const kids of this.#document.meanings(dictionary.get("Kids"))) {
      for (const kid of listOf(kids)) {
        const reference = referenceOf(kid)
        if (reference === undefined) throw new UnreadablePdf()
        const extent = this.#node(reference, depth + 1)
        pages += extent.pages
        textBytes += extent.textBytes
      }
    }
    return { pages, textBytes }
  }

  #pageBytes(page: PdfDictionary): number {
    let bytes = 0
    for (const contents of this.#contentsOf(page)) bytes += this.#streamBytes(contents, 0)
    for (const list of this.#document.meanings(page.get("Annots"))) {
      for (const note of listOf(list)) {
        for (const one of this.#dictionariesOf(note)) bytes += this.#noteBytes(one)
      }
    }
    return bytes
  }

  #contentsOf(page: PdfDictionary): number[] {
    const contents = page.get("Contents")
    const numbers: number[] = []
    const direct = referenceOf(contents)
    for (const meaning of this.#document.meanings(contents)) {
      if (isDictionary(meaning)) {
        if (direct !== undefined) numbers.push(direct)
      } else {
        for (const one of listOf(meaning)) numbers.push(referenceOf(one) ?? fail())
      }
    }
    return numbers
  }

  /** Returns the UTF-8 bytes of the text of an annotation on a page, including its appearance. */
  #noteBytes(note: PdfDictionary): number {
    let bytes = 0
    for (const value of note.values()) bytes += this.#textOf(value)
    for (const appearances of this.#dictionariesOf(note.get("AP"))) {
      for (const value of appearances.values()) {
        const numbers = [value, ...this.#dictionariesOf(value).flatMap((one) => [...one.values()])]
        for (const one of numbers) {
          const number = referenceOf(one)
          if (number !== undefined && this.#isForm(number)) bytes += this.#streamBytes(number, 0)
        }
      }
    }
    return bytes
  }

  /** Returns the UTF-8 bytes of the text of a stream, including all objects that it draws. */
  #streamBytes(number: number, depth: number): number {
    const known = this.#streams.get(number)
    if (known === "counting" || depth > MAX_DEPTH) throw new UnreadablePdf()
    if (known !== undefined) return known
    this.#streams.set(number, "counting")
    let bytes = 0
    for (const one of this.#document.definitions(number)) {
      if (one.value === undefined) throw new UnreadablePdf()
      if (one.streamAt !== undefined) bytes = Math.max(bytes, this.#definedBytes(one, depth))
    }
    this.#streams.set(number, bytes)
    return bytes
  }

  #definedBytes(object: PdfObject, depth: number): number {
    const content = contentText(this.#document.content(object), this.#weights)
    if (content === undefined) throw new UnreadablePdf()
    const dictionary = object.value?.parsed
    let bytes = content.bytes + content.marked * this.#propertyBytes
    for (const [name, times] of content.drawn) {
      let most = 0
      for (const one of this.#named(dictionary, name)) {
        const number = referenceOf(one)
        if (number === undefined || !this.#isForm(number)) continue
        most = Math.max(most, this.#streamBytes(number, depth + 1))
      }
      bytes += times * most
    }
    return bytes
  }

  /** Returns the possible meanings of a name, from the stream's own resources or from all resources of the document. */
  #named(dictionary: PdfValue, name: string): readonly PdfValue[] {
    const own = isDictionary(dictionary) ? this.#dictionariesOf(dictionary.get("Resources")) : []
    if (own.length === 0) return this.#anyNamed.get(name) ?? []
    return own.flatMap((resources) =>
      this.#dictionariesOf(resources.get("XObject")).flatMap((one) => one.get(name) ?? []),
    )
  }

  #isForm(number: number): boolean {
    return this.#document
      .definitions(number)
      .some(
        ({ value, streamAt }) =>
          streamAt !== undefined &&
          isDictionary(value?.parsed) &&
          nameOf(value.parsed.get("Subtype")) !== "Image",
      )
  }

  #dictionariesOf(value: PdfValue): PdfDictionary[] {
    return value === undefined ? [] : this.#document.meanings(value).filter(isDictionary)
  }

  /** Returns the maximum UTF-8 bytes of a string. Two bytes in UTF-16 become up to three bytes in UTF-8. */
  #textOf(value: PdfValue): number {
    let bytes = 0
    if (value === undefined) return bytes
    for (const one of this.#document.meanings(value)) {
      if (typeof one === "object" && "stringBytes" in one) bytes += one.stringBytes * 2
    }
    return bytes
  }
}

function fail(): never {
  throw new UnreadablePdf()
}
