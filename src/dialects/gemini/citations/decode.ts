import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from "../../../canon/json.ts"
import type { Citation } from "../../../canon/message.ts"
import { BytePlaces } from "./byte-places.ts"
import { DIALECT } from "../identifiers.ts"

/** The text of a candidate, and the start of its last part: citations belong to that part. */
export interface CitedText {
  readonly text: string
  /** In characters. */
  readonly lastPartStart: number
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Maximum characters of a candidate's citations together: many can name one long source. */
const MAX_SOURCES_LENGTH = 4_000_000
/** The cost of a citation in addition to its text, in characters. */
const EACH = 100
/** The search budget for invalid positions: characters of the text times characters searched for. */
const MAX_SEARCHED = 1_000_000_000

/**
 * The sources of a candidate's text: `groundingMetadata` of searches and `citationMetadata` of long quotations
 * (@google/genai). Both count bytes of UTF-8 over the entire text.
 */
export function decodeCitations(candidate: JsonObject, cited: CitedText): Citation[] {
  const spans = new Spans(cited)
  return [...groundings(candidate, spans), ...quotations(candidate, spans)]
}

/**
 * Returns one citation for each source of each supported segment; sources that do not support a segment have no
 * position.
 */
function groundings(candidate: JsonObject, spans: Spans): Citation[] {
  const metadata = objectAt(candidate, "groundingMetadata")
  if (metadata === undefined) return []
  const sources = listAt(metadata, "groundingChunks").map(decodeSource)
  const supports = listAt(metadata, "groundingSupports").filter(isJsonObject)
  if (supports.length === 0) return sources.filter((source) => source !== undefined)
  const citations: Citation[] = []
  let length = 0
  for (const support of supports) {
    length += EACH
    const segment = objectAt(support, "segment")
    let span: Span | undefined
    for (const index of listAt(support, "groundingChunkIndices")) {
      const source = typeof index === "number" ? sources[index] : undefined
      if (source === undefined) continue
      length += lengthOf(source)
      if (length > MAX_SOURCES_LENGTH) return citations
      span ??= segment && spans.of(segment)
      citations.push({ ...source, ...span })
    }
    if (length > MAX_SOURCES_LENGTH) return citations
  }
  return citations
}

function lengthOf({ url = "", title = "", quote = "" }: Citation): number {
  return EACH + url.length + title.length + quote.length
}

/** A `GroundingChunk`: one member, named for the kind of its source. */
function decodeSource(chunk: JsonValue): Citation | undefined {
  if (!isJsonObject(chunk)) return undefined
  const source =
    objectAt(chunk, "web") ?? objectAt(chunk, "retrievedContext") ?? objectAt(chunk, "maps")
  if (source === undefined) return undefined
  const citation = named(source)
  const quote = source === chunk.retrievedContext ? textAt(source, "text") : undefined
  if (quote !== undefined) citation.quote = quote
  return citation
}

function named(source: JsonObject): Writable<Citation> {
  const citation: Writable<Citation> = {}
  const url = textAt(source, "uri")
  if (url !== undefined) citation.url = url
  const title = textAt(source, "title")
  if (title !== undefined) citation.title = title
  return citation
}

/** `citations`; the Gemini API itself calls them `citationSources`. */
function quotations(candidate: JsonObject, spans: Spans): Citation[] {
  const metadata = objectAt(candidate, "citationMetadata")
  if (metadata === undefined) return []
  const listed = [...listAt(metadata, "citations"), ...listAt(metadata, "citationSources")]
  return listed
    .slice(0, MAX_SOURCES_LENGTH / EACH)
    .filter(isJsonObject)
    .map((source) => {
      const citation: Writable<Citation> = { ...named(source), ...spans.of(source) }
      const license = textAt(source, "license")
      if (license !== undefined) citation.extra = extraOf(DIALECT, { license })
      return citation
    })
}

function placesOf(text: string): BytePlaces {
  const places = new BytePlaces()
  places.append(text)
  return places
}

/** The positions of segments in a text. */
class Spans {
  readonly #cited: CitedText
  /** Created on the first citation. */
  #places: BytePlaces | undefined
  #searched = 0

  constructor(cited: CitedText) {
    this.#cited = cited
  }

  /**
   * The characters of a segment, within the last part. If a segment has its text, its position is checked
   * against it: some are relative to another part.
   */
  of(segment: JsonObject): Span | undefined {
    const { endIndex } = segment
    if (typeof endIndex !== "number") return undefined
    const { text, lastPartStart } = this.#cited
    const places = (this.#places ??= placesOf(text))
    const startIndex = segment.startIndex ?? 0
    let start = typeof startIndex === "number" ? places.characterAt(startIndex) : text.length
    let end = places.characterAt(endIndex)
    const words = textAt(segment, "text")
    if (words !== undefined && text.slice(start, end) !== words) {
      start = this.#find(words)
      end = start + words.length
    }
    const isInside = start >= lastPartStart && end >= start
    return isInside ? { start: start - lastPartStart, end: end - lastPartStart } : undefined
  }

  /** @returns a position before the text if the words are not found, or too much has been searched. */
  #find(words: string): number {
    const { text } = this.#cited
    this.#searched += text.length * words.length
    return this.#searched > MAX_SEARCHED ? -1 : text.indexOf(words)
  }
}
