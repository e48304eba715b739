import type { Writable } from "../../canon/writable.ts"
import { extraOf } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../canon/json.ts"
import type { Citation } from "../../canon/message.ts"
import { DIALECT } from "./identifiers.ts"

/** Members that may contain the text of a document or a tool result. Both are free-form dictionaries. */
const WORDS = ["text", "snippet", "content"] as const

/**
 * Converts a citation of Cohere to one citation for each of its sources: `{start, end, text, sources: [{type, id,
 * document or tool_output}], content_index?, type}` (recorded; docs/contribute/wire/cohere-chat.md#f7).
 * @returns an empty list for a citation of the plan or the reasoning instead of the response's text.
 */
export function decodeCitation(value: JsonObject): Citation[] {
  const { type = "TEXT_CONTENT" } = value
  if (type !== "TEXT_CONTENT") return []
  return listAt(value, "sources")
    .filter(isJsonObject)
    .map((source) => decodeSource(source, value))
}

function decodeSource(source: JsonObject, cited: JsonObject): Citation {
  const citation: Writable<Citation> = {}
  const details = objectAt(source, "document") ?? objectAt(source, "tool_output") ?? {}
  const url = textAt(details, "url")
  if (url !== undefined) citation.url = url
  const title = textAt(details, "title")
  if (title !== undefined) citation.title = title
  const place = WORDS.find((name) => textAt(details, name) !== undefined)
  if (place !== undefined) citation.quote = textAt(details, place) ?? ""
  if (typeof cited.start === "number") citation.start = cited.start
  if (typeof cited.end === "number") citation.end = cited.end
  citation.extra = extraOf(DIALECT, { type: source.type, id: source.id })
  return citation
}
