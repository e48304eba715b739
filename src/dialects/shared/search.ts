import type { ChatRequest } from "../../canon/chat.ts"
import type { Writable } from "../../canon/writable.ts"
import type { DialectId } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../canon/json.ts"
import type { FoundPage, SearchLocation, WebSearch, WebSearchPart } from "../../canon/web-search.ts"
import type { LossList } from "./losses.ts"

const LOCATION_FIELDS = ["city", "region", "country", "timezone"] as const

/** Returns the non-empty members of a location; undefined if it has no such members. */
export function decodeLocation(value: JsonValue | undefined): SearchLocation | undefined {
  if (!isJsonObject(value)) return undefined
  const location: Writable<SearchLocation> = {}
  for (const name of LOCATION_FIELDS) {
    const text = textAt(value, name)
    if (text !== undefined) location[name] = text
  }
  return Object.keys(location).length === 0 ? undefined : location
}

/** Returns the strings of a list; undefined if it has no strings. */
export function decodeDomains(value: JsonValue | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const domains = value.filter((domain) => typeof domain === "string")
  return domains.length === 0 ? undefined : domains
}

/**
 * Returns the web search of a request from a caller of another dialect. A search in the target dialect is part of its
 * extras.
 */
export function foreignSearch(
  { webSearch }: ChatRequest,
  dialect: DialectId,
): WebSearch | undefined {
  return webSearch?.declared.dialect === dialect ? undefined : webSearch
}

/** The name of the tool that callers of Anthropic's dialect use to require a search. */
const SEARCH_TOOL = "web_search"

/** Whether the required tool is the search and not a function. */
export function requiresSearch({ toolChoice, tools, webSearch }: ChatRequest): boolean {
  if (webSearch === undefined || toolChoice?.type !== "tool") return false
  return toolChoice.name === SEARCH_TOOL && !hasSearchFunction(tools)
}

/** Whether a function has the name that vendors use for their search. */
export function hasSearchFunction(tools: ChatRequest["tools"]): boolean {
  return tools?.some(({ name }) => name === SEARCH_TOOL) ?? false
}

/** The names of search options that a dialect can express. */
export type SearchWord =
  | "maxUses"
  | "contextSize"
  | "location"
  | "allowedDomains"
  | "blockedDomains"

const LOSS_NAMES: Readonly<Record<SearchWord, string>> = {
  maxUses: "web_search.max_uses",
  contextSize: "web_search.search_context_size",
  location: "web_search.user_location",
  allowedDomains: "web_search.allowed_domains",
  blockedDomains: "web_search.blocked_domains",
}

/** The default context size of every vendor. */
const DEFAULT_SIZE = "medium"

/** Reports the options of a search that a dialect cannot express. */
export function reportSearch(
  search: WebSearch,
  known: ReadonlySet<SearchWord>,
  losses: LossList,
): void {
  losses.fieldsOf(search.extra)
  for (const [word, name] of Object.entries(LOSS_NAMES) as [SearchWord, string][]) {
    const value = search[word]
    if (value !== undefined && value !== DEFAULT_SIZE && !known.has(word)) losses.add(name)
  }
}

/** Returns a location in the form of OpenAI's and Anthropic's tools. */
export function encodeLocation(location: SearchLocation): JsonObject {
  return { type: "approximate", ...location }
}

/** Returns a page with the known facts about it; empty if its URL is unknown. */
export function foundPage(url: string | undefined, title?: string, age?: string): FoundPage[] {
  if (url === undefined) return []
  return [{ url, ...(title !== undefined && { title }), ...(age !== undefined && { age }) }]
}

/**
 * Returns a step of a search that the gateway reported and that the history of a request contains. It is not sent to
 * any vendor.
 */
export function reportedSearch(reportedIn: DialectId): WebSearchPart {
  return { type: "web-search", queries: [], pages: [], uses: 0, reportedIn }
}

/** Returns the queries of a search, for dialects with a single query per search. */
export function encodeQueries(queries: readonly string[]): JsonObject {
  const [query = ""] = queries
  return queries.length > 1 ? { query, queries: [...queries] } : { query }
}
