import type { Citation } from "../../canon/chat.ts"
import type { Draft } from "../../canon/draft.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from "../../canon/json.ts"
import { extraOf } from "./wire.ts"

/** The text of a candidate, and where its last part begins: citations belong to that part. */
export interface CitedText {
  readonly text: string
  /** In characters. */
  readonly lastPartStart: number
}

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Where a candidate's text comes from: `groundingMetadata` of searches and `citationMetadata` of long
 * quotations (@google/genai). Both count in bytes of UTF-8 over the whole text.
 */
export function decodeCitations(candidate: JsonObject, cited: CitedText): Citation[] {
  return [...groundings(candidate, cited), ...quotations(candidate, cited)]
}

/** One citation for each source of each supported piece; sources that support none come bare. */
function groundings(candidate: JsonObject, cited: CitedText): Citation[] {
  const metadata = objectAt(candidate, "groundingMetadata")
  if (metadata === undefined) return []
  const sources = listAt(metadata, "groundingChunks").map(decodeSource)
  const supports = listAt(metadata, "groundingSupports").filter(isJsonObject)
  if (supports.length === 0) return sources.filter((source) => source !== undefined)
  return supports.flatMap((support) => {
    const segment = objectAt(support, "segment")
    const span = segment === undefined ? undefined : spanOf(segment, cited)
    return listAt(support, "groundingChunkIndices").flatMap((index) => {
      const source = typeof index === "number" ? sources[index] : undefined
      return source === undefined ? [] : [{ ...source, ...span }]
    })
  })
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

function named(source: JsonObject): Draft<Citation> {
  const citation: Draft<Citation> = {}
  const url = textAt(source, "uri")
  if (url !== undefined) citation.url = url
  const title = textAt(source, "title")
  if (title !== undefined) citation.title = title
  return citation
}

/** `citations`; the Gemini API itself calls them `citationSources`. */
function quotations(candidate: JsonObject, cited: CitedText): Citation[] {
  const metadata = objectAt(candidate, "citationMetadata")
  if (metadata === undefined) return []
  const listed = [...listAt(metadata, "citations"), ...listAt(metadata, "citationSources")]
  return listed.filter(isJsonObject).map((source) => {
    const citation: Draft<Citation> = { ...named(source), ...spanOf(source, cited) }
    const license = textAt(source, "license")
    if (license !== undefined) citation.extra = extraOf({ license })
    return citation
  })
}

/**
 * The characters that a segment names, within the last part. A segment that brings its text along is
 * held to it: some count from the beginning of another part.
 */
function spanOf(segment: JsonObject, { text, lastPartStart }: CitedText): Span | undefined {
  if (typeof segment.endIndex !== "number") return undefined
  const bytes = new TextEncoder().encode(text)
  let start = characters(bytes, segment.startIndex ?? 0)
  let end = characters(bytes, segment.endIndex)
  const words = textAt(segment, "text")
  if (words !== undefined && text.slice(start, end) !== words) {
    start = text.indexOf(words)
    end = start + words.length
  }
  const isInside = start >= lastPartStart && end >= start
  return isInside ? { start: start - lastPartStart, end: end - lastPartStart } : undefined
}

function characters(bytes: Uint8Array, length: JsonValue): number {
  const head = typeof length === "number" ? bytes.subarray(0, length) : bytes
  return new TextDecoder().decode(head).length
}
