import type { Writable } from "../../canon/writable.ts"
import { extraOf, ownFields } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../canon/json.ts"
import type { Citation } from "../../canon/message.ts"
import { DIALECT } from "./identifiers.ts"

const FOUND = "web_search_result_location"

/** Citations of a text block; only this dialect has their positions in the source. */
export function decodeCitations(value: JsonValue | undefined): Citation[] {
  return Array.isArray(value) ? value.filter(isJsonObject).map(decodeCitation) : []
}

/** One citation: found on the web, in a search result or in a document of the request. */
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

/** Whether `encodeCitation` made it from another vendor's. */
function isForeign({ type, encrypted_index: proof }: JsonObject): boolean {
  return type === FOUND && proof === ""
}

/**
 * In the form in which this dialect received it. Other vendors' citations with an address become web search
 * results; those without become text of unknown origin, such as a tool's result. Clients refuse a web search
 * result whose title is null or whose address is empty (AI SDK 5 and 6).
 * @returns undefined without a source.
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
