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

/** The text of a candidate, and the start of its last part, which citations belong to. */
export interface CitedText {
  readonly text: string
  /** The start of the last part, in characters of the text. */
  readonly lastPartStart: number
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Maximum characters of all citations of a candidate. Many citations can repeat one long source. */
const MAX_SOURCES_LENGTH = 4_000_000
/** Characters that are counted for each citation in addition to its text. */
const EACH = 100
/** Maximum search effort for invalid positions: characters of the text times characters searched for. */
const MAX_SEARCHED = 1_000_000_000

/**
 * Decodes the sources of a candidate's text: `groundingMetadata` of searches and `citationMetadata` of long quotations
 * (@google/genai). Positions in both are counted in bytes of UTF-8 over the entire text.
 */
export function decodeCitations(candidate: JsonObject, cited: CitedText): Citation[] {
  const spans = new Spans(cited)
  return [...groundings(candidate, spans), ...quotations(candidate, spans)]
}

/** Returns one citation for each source of each supported segment. Sources that support no segment have no position. */
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

/** Decodes a `GroundingChunk`, which has one member named after the kind of its source. */
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

/** Decodes `citations`. The Gemini API itself calls them `citationSources`. */
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

/** Finds the positions of segments in a text. */
class Spans {
  readonly #cited: CitedText
  /** The converted positions, created for the first citation. */
  #places: BytePlaces | undefined
  #searched = 0

  constructor(cited: CitedText) {
    this.#cited = cited
  }

  /**
   * Returns the positions of a segment within the last part, in characters. If the segment contains its text, the
   * position is checked against the text, because some positions are relative to another part.
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

  /**
   * Finds words in the text.
   * @returns a position before the text if the words are not found, or if the search effort is used up.
   */
  #find(words: string): number {
    const { text } = this.#cited
    this.#searched += text.length * words.length
    return this.#searched > MAX_SEARCHED ? -1 : text.indexOf(words)
  }
}
