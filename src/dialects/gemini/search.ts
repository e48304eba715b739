import type { ChatRequest } from "../../canon/chat.ts"
import type { Writable } from "../../canon/writable.ts"
import { extraOf } from "../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
  unknownFields,
} from "../../canon/json.ts"
import type { WebSearch, WebSearchPart } from "../../canon/web-search.ts"
import {
  decodeDomains,
  requiresSearch,
  foreignSearch,
  foundPage,
  reportSearch,
  type SearchWord,
} from "../shared/search.ts"
import { DIALECT } from "./identifiers.ts"
import type { Encoding } from "./request/encoding.ts"

const FIELDS = new Set(["excludeDomains"])
const KNOWN: ReadonlySet<SearchWord> = new Set()

/**
 * Returns the web search of a request (@google/genai 3.1, `GoogleSearch`); undefined if it has no search.
 * @param others the tools that are not functions.
 */
export function decodeWebSearch(
  body: JsonObject,
  others: readonly JsonObject[],
): WebSearch | undefined {
  const tool = others.find((other) => isAlone(other) && isJsonObject(other.googleSearch))
  const google = tool?.googleSearch
  if (tool === undefined || !isJsonObject(google)) return undefined
  const index = listAt(body, "tools").findIndex(
    (listed) => isJsonObject(listed) && listed.googleSearch === google,
  )
  const place = `tools[${index}].googleSearch`
  const search: Writable<WebSearch> = { declared: { dialect: DIALECT, place, tool, fields: [] } }
  const blocked = decodeDomains(google.excludeDomains)
  if (blocked !== undefined) search.blockedDomains = blocked
  const extra = unknownFields(google, FIELDS)
  if (extra !== undefined) search.extra = extraOf(DIALECT, extra)
  return search
}

function isAlone(tool: JsonObject): boolean {
  return Object.keys(tool).length === 1
}

/**
 * Adds the web search of another dialect's caller to a body. Google rejects the search together with functions and, in
 * models before Gemini 3, together with a JSON response (ai.google.dev/gemini-api/docs/google-search).
 */
export function setWebSearch(body: JsonObject, request: ChatRequest, encoding: Encoding): void {
  const search = foreignSearch(request, DIALECT)
  const { responseFormat, tools = [] } = request
  const { losses, traits } = encoding
  if (search === undefined) return
  if (requiresSearch(request)) {
    losses.add("tool_choice")
    delete body.toolConfig
  }
  const isJson = responseFormat !== undefined && responseFormat.type !== "text"
  if (tools.length > 0 || (isJson && !traits.jsonWithTools)) {
    losses.add("web_search")
    return
  }
  reportSearch(search, KNOWN, losses)
  body.tools = [...listAt(body, "tools"), { googleSearch: {} }]
}

/** Returns the executed queries of searches for pages and for images. */
export function searchQueries(metadata: JsonObject): readonly string[] {
  return [
    ...listAt(metadata, "webSearchQueries"),
    ...listAt(metadata, "imageSearchQueries"),
  ].filter((query) => typeof query === "string")
}

/**
 * Returns Google's queries and results in one part, because the response does not assign results to queries
 * (`GroundingMetadata` of @google/genai); undefined if the vendor did not search.
 */
export function decodeSearch(candidate: JsonObject): WebSearchPart | undefined {
  const metadata = objectAt(candidate, "groundingMetadata")
  if (metadata === undefined) return undefined
  const queries = searchQueries(metadata)
  const pages = listAt(metadata, "groundingChunks").flatMap((chunk) => {
    const web = isJsonObject(chunk) ? objectAt(chunk, "web") : undefined
    return web === undefined ? [] : foundPage(textAt(web, "uri"), textAt(web, "title"))
  })
  if (queries.length === 0) return undefined
  return { type: "web-search", queries, pages, uses: new Set(queries).size, reportedIn: DIALECT }
}
