import type { Writable } from "../../../canon/writable.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../../canon/json.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { mintId } from "../../shared/identifiers.ts"
import { encodeQueries, foundPage } from "../../shared/search.ts"
import { DIALECT } from "../identifiers.ts"

/** The name of a web search, as the type of an item and in the names of events. */
export const SEARCH_CALL = "web_search_call"
/** The prefix in the ids of searches by other vendors. It identifies these searches in later requests. */
const OWN_ID = "ws_tollgate_"
const STAGES = ["in_progress", "searching", "completed"] as const

/** Returns the search in an item; undefined for other items, and for steps that open a page instead of searching. */
export function decodeSearch(item: JsonObject): WebSearchPart | undefined {
  const action = item.type === SEARCH_CALL ? objectAt(item, "action") : undefined
  if (action?.type !== "search") return undefined
  const queries = listAt(action, "queries").filter((query) => typeof query === "string")
  const pages = listAt(action, "sources")
    .filter(isJsonObject)
    .flatMap((source) => foundPage(textAt(source, "url"), textAt(source, "title")))
  const query = textAt(action, "query")
  const queried = queries.length === 0 && query !== undefined ? [query] : queries
  const search: Writable<WebSearchPart> = {
    type: "web-search",
    queries: queried,
    pages,
    uses: 1,
    reportedIn: DIALECT,
  }
  if (item.status === "failed") search.failed = true
  return search
}

/** Returns a new id for a search by another vendor. */
export function searchId(): string {
  return mintId(OWN_ID)
}

/** Returns a search as an item of an output (openai 7.55, `ResponseFunctionWebSearch`). */
export function searchItem(id: string, { queries, pages, failed }: WebSearchPart): JsonObject {
  const sources = pages.map(({ url }) => ({ type: "url", url }))
  const action = { type: "search", ...encodeQueries(queries), sources }
  return { id, type: SEARCH_CALL, status: failed === true ? "failed" : "completed", action }
}

/** Returns the stages of a search, each of which is an event. */
export function stagesOf({ failed }: WebSearchPart): readonly string[] {
  return failed === true ? STAGES.slice(0, -1) : STAGES
}

/** Whether `searchItem` created an item of the history from another vendor's search. */
export function isReportedStep({ type, id }: JsonObject): boolean {
  return type === SEARCH_CALL && typeof id === "string" && id.startsWith(OWN_ID)
}
