import type { Citation } from "../../canon/chat.ts"
import type { Draft } from "../../canon/draft.ts"
import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../canon/json.ts"
import { extraOf, ownFields } from "./wire.ts"

/** Citations of a text block, whose places in the source only this dialect can tell. */
export function decodeCitations(value: JsonValue | undefined): Citation[] {
  return Array.isArray(value) ? value.filter(isJsonObject).map(decodeCitation) : []
}

/** One citation: found on the web, in a search result or in a document of the request. */
export function decodeCitation(fields: JsonObject): Citation {
  const citation: Draft<Citation> = { extra: extraOf(fields) }
  const url = textAt(fields, "url") ?? textAt(fields, "source")
  if (url !== undefined) citation.url = url
  const title = textAt(fields, "title") ?? textAt(fields, "document_title")
  if (title !== undefined) citation.title = title
  const quote = textAt(fields, "cited_text")
  if (quote !== undefined) citation.quote = quote
  return citation
}

/** As this dialect told it, or as a find on the web, which is what other vendors cite. */
export function encodeCitation(citation: Citation): JsonObject {
  return (
    ownFields(citation.extra) ?? {
      type: "web_search_result_location",
      url: citation.url ?? "",
      title: citation.title ?? null,
      cited_text: citation.quote ?? "",
      encrypted_index: "",
    }
  )
}
