import type { Writable } from "../../canon/writable.ts"
import { extraOf, ownFields } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../canon/json.ts"
import type { Citation } from "../../canon/message.ts"
import { DIALECT } from "./identifiers.ts"

const FOUND = "web_search_result_location"

/** Decodes the citations of a text block. Their positions in the source exist in this dialect only. */
export function decodeCitations(value: JsonValue | undefined): Citation[] {
  return Array.isArray(value) ? value.filter(isJsonObject).map(decodeCitation) : []
}

/** Decodes one citation of a web page, a search result or a document of the request. */
export function decodeCitation(fields: JsonObject): Citation {
  const citation: Writable<Citation> = isForeign(fields)
    ? { isForeign: true }
    : { extra: extraOf(DIALECT, fields) }
  const url = textAt(fields, "url") ?? textAt(fields, "source")
  if (url !== undefined) citation.url = url
  const title = textAt(fields, "title") ?? textAt(fields, "document_title")
  if (title !== undefined) citation.title = title
  const quote = textAt(fields, "cited_text")
  if (quote !== undefined) citation.quote = quote
  return citation
}

/** Whether `encodeCitation` translated the citation from another vendor's citation. */
function isForeign({ type, encrypted_index: proof }: JsonObject): boolean {
  return type === FOUND && proof === ""
}

/**
 * Returns a citation in this dialect. A citation that came from this dialect is returned unchanged. Other vendors'
 * citations with a URL become web search results; those without a URL become citations of a document. Clients
 * reject a web search result whose title is null or whose address is empty (AI SDK 5 and 6).
 * @returns undefined for a citation without a source.
 */
export function encodeCitation(citation: Citation): JsonObject | undefined {
  const own = ownFields(DIALECT, citation.extra)
  if (own !== undefined) return own
  const { url, title, quote = "" } = citation
  if (url === undefined) {
    if (title === undefined && quote === "") return undefined
    return {
      type: "char_location",
      cited_text: quote,
      document_index: 0,
      document_title: title ?? null,
      start_char_index: 0,
      end_char_index: quote.length,
      file_id: null,
    }
  }
  return {
    type: FOUND,
    url,
    title: title ?? url,
    cited_text: quote,
    encrypted_index: "",
  }
}
