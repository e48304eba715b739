import type { Writable } from "../../canon/writable.ts"
import { extraOf, ownFields } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../canon/json.ts"
import type { Citation, Part } from "../../canon/message.ts"
import { DIALECT } from "./identifiers.ts"
import { nestedExtra, withNestedExtra } from "./messages/nested-extra.ts"

/**
 * The type of an annotation that is a citation: `{type: "url_citation", url_citation: {url, title, start_index,
 * end_index}}` (OpenAI's OpenAPI description). OpenRouter adds the quoted source as `content`. Positions count from the
 * start of the message's content.
 */

const URL_CITATION = "url_citation"
/** Members of an annotation. In a stream, official clients need the `index` of each list entry. */
const ANNOTATION_FIELDS = new Set(["type", "index", URL_CITATION])
const CITATION_FIELDS = new Set(["url", "title", "content", "start_index", "end_index"])

/**
 * Adds the citations of a message to its last text.
 * @returns the annotations of other kinds, for the extra; undefined if there are none.
 */
export function citeText(
  parts: Part[],
  annotations: JsonValue | undefined,
): JsonValue[] | undefined {
  if (!Array.isArray(annotations)) return undefined
  const span = new TextSpan()
  let last = -1
  for (const [position, part] of parts.entries()) {
    if (part.type !== "text") continue
    span.close()
    span.grow(part.text)
    last = position
  }
  const text = parts[last]
  if (text?.type !== "text") return annotations
  const { citations, others } = decodeAnnotations(annotations)
  if (citations.length > 0) {
    parts[last] = { ...text, citations: citations.map((citation) => span.within(citation)) }
  }
  return others
}

/** Separates citations from annotations of other kinds; undefined if there are no annotations. */
export function decodeAnnotations(annotations: readonly JsonValue[]): {
  readonly citations: readonly Citation[]
  readonly others: JsonValue[] | undefined
} {
  const citations: Citation[] = []
  let others: JsonValue[] | undefined
  for (const annotation of annotations) {
    const citation = decodeCitation(annotation)
    if (citation !== undefined) citations.push(citation)
    else (others ??= []).push(annotation)
  }
  return { citations, others }
}

/**
 * Encodes a citation as an annotation. Official clients declare all four members, so an unknown address or title is
 * empty, and an unknown position covers all of the text.
 * @param span the cited part of the message's content.
 * @returns undefined for a citation without a source.
 */
export function encodeCitation(citation: Citation, span: Span): JsonObject | undefined {
  const { url = "", title = "", quote, start, end } = citation
  if (url === "" && title === "") return undefined
  const encoded: JsonObject = {
    url,
    title,
    start_index: span.start + (start ?? 0),
    end_index: end === undefined ? span.end : span.start + end,
  }
  if (quote !== undefined) encoded.content = quote
  return withNestedExtra(
    { type: URL_CITATION },
    URL_CITATION,
    encoded,
    ownFields(DIALECT, citation.extra),
  )
}

/** The characters from `start` up to but not including `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The position of the last text part within the content of a streamed choice. */
export class TextSpan implements Span {
  start = 0
  end = 0
  #isOpen = false

  grow(text: string): void {
    if (!this.#isOpen) this.start = this.end
    this.#isOpen = true
    this.end += text.length
  }

  /** Ends the text part, because other content follows. Later text is a separate part. */
  close(): void {
    this.#isOpen = false
  }

  /** Returns a citation relative to the last text part. A citation of an earlier part gets no position. */
  within(citation: Citation): Citation {
    if (this.start === 0) return citation
    const { start, end, ...rest } = citation
    if (start === undefined || end === undefined || start < this.start) return rest
    return { ...rest, start: start - this.start, end: end - this.start }
  }
}

function decodeCitation(annotation: JsonValue): Citation | undefined {
  if (!isJsonObject(annotation) || annotation.type !== URL_CITATION) return undefined
  const inner = annotation[URL_CITATION]
  if (!isJsonObject(inner)) return undefined
  const citation: Writable<Citation> = {}
  const url = textAt(inner, "url")
  if (url !== undefined) citation.url = url
  const title = textAt(inner, "title")
  if (title !== undefined) citation.title = title
  const quote = textAt(inner, "content")
  if (quote !== undefined) citation.quote = quote
  if (typeof inner.start_index === "number") citation.start = inner.start_index
  if (typeof inner.end_index === "number") citation.end = inner.end_index
  const extra = nestedExtra(annotation, ANNOTATION_FIELDS, URL_CITATION, CITATION_FIELDS)
  if (extra !== undefined) citation.extra = extraOf(DIALECT, extra)
  return citation
}
