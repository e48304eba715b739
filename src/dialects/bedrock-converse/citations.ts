import type { Writable } from "../../canon/writable.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../canon/json.ts"
import { isWebUrl } from "../../canon/media-source.ts"
import type { Citation } from "../../canon/message.ts"

/** Decodes one citation, which has the same form in whole responses and in deltas. */
export function decodeCitation(value: JsonObject): Citation {
  const citation: Writable<Citation> = {}
  const title = textAt(value, "title")
  if (title !== undefined) citation.title = title
  const url = urlOf(value)
  if (url !== undefined) citation.url = url
  let quote = ""
  for (const chunk of listAt(value, "sourceContent")) {
    if (isJsonObject(chunk)) quote += textAt(chunk, "text") ?? ""
  }
  if (quote !== "") citation.quote = quote
  return citation
}

/**
 * Returns the address of a source. Web pages have an address, and the source of a search result is often an address.
 */
function urlOf(value: JsonObject): string | undefined {
  const web = objectAt(objectAt(value, "location") ?? {}, "web")
  const url = web === undefined ? undefined : textAt(web, "url")
  if (url !== undefined) return url
  const source = textAt(value, "source")
  return source !== undefined && isWebUrl(source) ? source : undefined
}
