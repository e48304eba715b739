import type { WebSearchPart } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../canon/json.ts"
import { foundPage } from "../../canon/web-search.ts"
import { DIALECT } from "./identifiers.ts"

/**
 * What Google searched the web for, and found: all of it in one, as its answer does not tell which query found
 * what (`GroundingMetadata` of @google/genai). Undefined where an answer rests on no search.
 */
export function decodeSearch(candidate: JsonObject): WebSearchPart | undefined {
  const metadata = objectAt(candidate, "groundingMetadata")
  if (metadata === undefined) return undefined
  const queries = listAt(metadata, "webSearchQueries").filter((query) => typeof query === "string")
  const pages = listAt(metadata, "groundingChunks").flatMap((chunk) => {
    const web = isJsonObject(chunk) ? objectAt(chunk, "web") : undefined
    return web === undefined ? [] : foundPage(textAt(web, "uri"), textAt(web, "title"))
  })
  if (queries.length === 0) return undefined
  return { type: "web-search", queries, pages, uses: queries.length, toldIn: DIALECT }
}
