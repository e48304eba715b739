import type { Writable } from "../../canon/writable.ts"
import { extraOf } from "../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
  unknownFields,
} from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import type { WebSearch, WebSearchPart } from "../../canon/web-search.ts"
import type { LossList } from "../shared/losses.ts"
import {
  decodeDomains,
  decodeLocation,
  encodeLocation,
  reportSearch,
  type SearchWord,
  encodeQueries,
  foundPage,
} from "../shared/search.ts"
import { DIALECT } from "./identifiers.ts"
import { INCLUDE_SOURCES, KNOWN_INCLUDES } from "./request/includes.ts"
import { mintId } from "../shared/identifiers.ts"

/** Matches the types of web search tools. */
export const WEB_SEARCH_TYPE = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/
const OWN_TYPE = "web_search"
const MAX_CALLS = "max_tool_calls"
const INCLUDE = "include"

const FIELDS = new Set(["type", "filters", "search_context_size", "user_location"])
const FILTERS = new Set(["allowed_domains"])
const KNOWN: ReadonlySet<SearchWord> = new Set([
  "maxUses",
  "contextSize",
  "location",
  "allowedDomains",
])

/**
 * Returns the web search of a request (openai 7.55, `WebSearchTool`); undefined if it has no search.
 * @param others the tools that are not functions.
 */
export function decodeWebSearch(
  body: JsonObject,
  others: readonly JsonValue[],
): WebSearch | undefined {
  const tool = others.find(
    (other) => isJsonObject(other) && WEB_SEARCH_TYPE.test(String(other.type)),
  )
  if (!isJsonObject(tool)) return undefined
  const filters = objectAt(tool, "filters") ?? {}
  // The limit applies to calls to all server tools, so it only limits the search if the search is the only server tool.
  const max = others.length === 1 ? quantityOf(body[MAX_CALLS]) : undefined
  const index = Array.isArray(body.tools) ? body.tools.indexOf(tool) : 0
  const fields = max === undefined ? [] : [MAX_CALLS]
  if (asksForSources(body)) fields.push(INCLUDE)
  const search: Writable<WebSearch> = {
    declared: { dialect: DIALECT, place: `tools[${index}]`, tool, fields },
  }
  if (max !== undefined) search.maxUses = max
  const size = textAt(tool, "search_context_size")
  if (size !== undefined) search.contextSize = size
  const location = decodeLocation(tool.user_location)
  if (location !== undefined) search.location = location
  const allowed = decodeDomains(filters.allowed_domains)
  if (allowed !== undefined) search.allowedDomains = allowed
  // Searches include the live web by default.
  const { external_web_access: live, ...rest } = unknownFields(tool, FIELDS) ?? {}
  const more = { ...rest, ...unknownFields(filters, FILTERS) }
  const extra = live === false ? { ...more, external_web_access: live } : more
  if (Object.keys(extra).length > 0) search.extra = extraOf(DIALECT, extra)
  return search
}

/** Whether the request only includes sources that every search reports and that the canon can represent. */
function asksForSources(body: JsonObject): boolean {
  const others = listAt(body, INCLUDE).filter((name) => !KNOWN_INCLUDES.has(name))
  return others.length > 0 && others.every((name) => name === INCLUDE_SOURCES)
}

/** Adds the web search of another dialect's caller to a body. */
export function setWebSearch(body: JsonObject, search: WebSearch, losses: LossList): void {
  reportSearch(search, KNOWN, losses)
  const { maxUses, contextSize, location, allowedDomains } = search
  const tool: JsonObject = { type: OWN_TYPE }
  if (contextSize !== undefined) tool.search_context_size = contextSize
  if (location !== undefined) tool.user_location = encodeLocation(location)
  if (allowedDomains !== undefined) tool.filters = { allowed_domains: [...allowedDomains] }
  body.tools = [...(Array.isArray(body.tools) ? body.tools : []), tool]
  // The search is the only tool that the vendor runs, so the limit on calls limits the searches.
  if (maxUses !== undefined) body[MAX_CALLS] = maxUses
}

/** Requires a search. `tool_choice` has no value for this particular tool (openai 7.55, `ToolChoiceTypes`). */
export function requireWebSearch(body: JsonObject): void {
  const isOnly = listAt(body, "tools").length === 1
  const tools = [{ type: OWN_TYPE }]
  body.tool_choice = isOnly ? "required" : { type: "allowed_tools", mode: "required", tools }
}

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
