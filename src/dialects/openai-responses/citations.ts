import type { Writable } from "../../canon/writable.ts"
import { extraOf, ownFields } from "../../canon/extra.ts"
import { type JsonObject, textAt } from "../../canon/json.ts"
import type { Citation, TextPart } from "../../canon/message.ts"
import { DIALECT } from "./identifiers.ts"

/**
 * Decodes the source of a text segment from an annotation. The source is a web page, or a file, which is kept unchanged
 * for this dialect.
 * @param offset number of characters of the canon's text part before the annotated content.
 */
export function decodeAnnotation(annotation: JsonObject, offset = 0): Citation {
  const citation: Writable<Citation> = {}
  const title = textAt(annotation, "title") ?? textAt(annotation, "filename")
  if (title !== undefined) citation.title = title
  const { start_index: start, end_index: end } = annotation
  if (typeof start === "number") citation.start = start + offset
  if (typeof end === "number") citation.end = end + offset
  const url = textAt(annotation, "url")
  if (url === undefined) citation.extra = extraOf(DIALECT, annotation)
  else citation.url = url
  return citation
}

/**
 * Encodes a citation as an annotation. An unknown position covers all of the text.
 * @param length length of the annotated text in characters.
 * @returns undefined for a source without an address, for which this dialect has no annotation.
 */
export function encodeAnnotation(citation: Citation, length: number): JsonObject | undefined {
  const own = ownFields(DIALECT, citation.extra)
  if (own !== undefined) return own
  const { url, title, start, end } = citation
  if (url === undefined) return undefined
  return {
    type: "url_citation",
    url,
    title: title ?? "",
    start_index: start ?? 0,
    end_index: end ?? length,
  }
}

export function encodeAnnotations({ text, citations = [] }: TextPart): JsonObject[] {
  return citations
    .map((citation) => encodeAnnotation(citation, text.length))
    .filter((annotation) => annotation !== undefined)
}
