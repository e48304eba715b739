import type { ChatRequest } from "../../canon/chat.ts"
import type { Writable } from "../../canon/writable.ts"
import type { DialectId } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../canon/json.ts"
import type { FoundPage, SearchLocation, WebSearch, WebSearchPart } from "../../canon/web-search.ts"
import type { LossList } from "./losses.ts"

const LOCATION_FIELDS = ["city", "region", "country", "timezone"] as const

/** The members of a location that say something; undefined where none does. */
export function decodeLocation(value: JsonValue | undefined): SearchLocation | undefined {
  if (!isJsonObject(value)) return undefined
  const location: Writable<SearchLocation> = {}
  for (const name of LOCATION_FIELDS) {
    const text = textAt(value, name)
    if (text !== undefined) location[name] = text
  }
  return Object.keys(location).length === 0 ? undefined : location
}

/** The texts of a list; undefined where there are none. */
export function decodeDomains(value: JsonValue | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const domains = value.filter((domain) => typeof domain === "string")
  return domains.length === 0 ? undefined : domains
}

/** The search of a caller of another dialect than the one that is written, which has its own among its extras. */
export function foreignSearch(
  { webSearch }: ChatRequest,
  dialect: DialectId,
): WebSearch | undefined {
  return webSearch?.declared.dialect === dialect ? undefined : webSearch
}

/** What Anthropic's callers call it where they say that it has to be done. */
const SEARCH_TOOL = "web_search"

/** Whether the tool to be called is the search, and no function. */
export function demandsSearch({ toolChoice, tools, webSearch }: ChatRequest): boolean {
  if (webSearch === undefined || toolChoice?.type !== "tool") return false
  return toolChoice.name === SEARCH_TOOL && !hasSearchFunction(tools)
}

/** Whether a function has the name that vendors give to their search. */
export function hasSearchFunction(tools: ChatRequest["tools"]): boolean {
  return tools?.some(({ name }) => name === SEARCH_TOOL) ?? false
}

/** What of a search a dialect has a word for. */
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

/** What every vendor does unasked. */
const USUAL_SIZE = "medium"

/** Reports what of a search a dialect has no word for. */
export function reportSearch(
  search: WebSearch,
  known: ReadonlySet<SearchWord>,
  losses: LossList,
): void {
  losses.fieldsOf(search.extra)
  for (const [word, name] of Object.entries(LOSS_NAMES) as [SearchWord, string][]) {
    const value = search[word]
    if (value !== undefined && value !== USUAL_SIZE && !known.has(word)) losses.add(name)
  }
}

/** A location as OpenAI and Anthropic have it on their tools. */
export function encodeLocation(location: SearchLocation): JsonObject {
  return { type: "approximate", ...location }
}

/** A page with what is known of it; none where it has no address. */
export function foundPage(url: string | undefined, title?: string, age?: string): FoundPage[] {
  if (url === undefined) return []
  return [{ url, ...(title !== undefined && { title }), ...(age !== undefined && { age }) }]
}

/** A step of a search that the gateway reported and that comes back in a history: it goes to no vendor. */
export function reportedSearch(reportedIn: DialectId): WebSearchPart {
  return { type: "web-search", queries: [], pages: [], uses: 0, reportedIn }
}

/** The queries of a search as the dialects have them that look for one thing at a time. */
export function encodeQueries(queries: readonly string[]): JsonObject {
  const [query = ""] = queries
  return queries.length > 1 ? { query, queries: [...queries] } : { query }
}
