import type { Writable } from "../../canon/writable.ts"
import { extraOf } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, objectAt, textAt, unknownFields } from "../../canon/json.ts"
import type { WebSearch } from "../../canon/web-search.ts"
import { decodeLocation } from "../shared/search.ts"
import { DIALECT } from "./identifiers.ts"

const OPTIONS = "web_search_options"
const FIELDS = new Set(["search_context_size", "user_location"])

/** The web search of a request (openai 7.55, `WebSearchOptions`); undefined where it has none. */
export function decodeWebSearch(body: JsonObject): WebSearch | undefined {
  const options = body[OPTIONS]
  if (!isJsonObject(options)) return undefined
  const search: Writable<WebSearch> = {
    declared: { dialect: DIALECT, place: OPTIONS, fields: [OPTIONS] },
  }
  const size = textAt(options, "search_context_size")
  if (size !== undefined) search.contextSize = size
  const location = decodeLocation((objectAt(options, "user_location") ?? {}).approximate)
  if (location !== undefined) search.location = location
  const extra = unknownFields(options, FIELDS)
  if (extra !== undefined) search.extra = extraOf(DIALECT, extra)
  return search
}
