import type { Writable } from "../../canon/writable.ts"
import { extraOf } from "../../canon/extra.ts"
import {
  type JsonObject,
  unknownFields,
  isJsonObject,
  listAt,
  objectAt,
  textAt,
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
import { mintId } from "../shared/identifiers.ts"
import { DIRECT_CALLER } from "./tools.ts"

const TYPE = /^web_search_\d{8}$/
/** The version of the search tool that all models with web search accept. */
const OWN_TYPE = "web_search_20250305"
/** Anthropic's name for the search tool. No function may have the same name. */
const NAME = "web_search"

const FIELDS = new Set([
  "type",
  "name",
  "max_uses",
  "allowed_domains",
  "blocked_domains",
  "user_location",
  // Fields that can be left out without losing results.
  "allowed_callers",
  "cache_control",
  "defer_loading",
  "strict",
])
const KNOWN: ReadonlySet<SearchWord> = new Set(["maxUses", "location", "allowedDomains"])
const ALL_KNOWN: ReadonlySet<SearchWord> = new Set([...KNOWN, "blockedDomains"])

/**
 * Returns the web search of a request (@anthropic-ai/sdk 1.12, `WebSearchTool20250305` and later); undefined if it has
 * no search.
 * @param others the server tools of the request.
 */
export function decodeWebSearch(
  body: JsonObject,
  others: readonly JsonObject[],
): WebSearch | undefined {
  const tool = others.find(({ type }) => TYPE.test(String(type)))
  if (tool === undefined) return undefined
  const index = Array.isArray(body.tools) ? body.tools.indexOf(tool) : 0
  const search: Writable<WebSearch> = {
    declared: { dialect: DIALECT, place: `tools[${index}]`, tool, fields: [] },
  }
  const max = quantityOf(tool.max_uses)
  if (max !== undefined) search.maxUses = max
  const allowed = decodeDomains(tool.allowed_domains)
  if (allowed !== undefined) search.allowedDomains = allowed
  const blocked = decodeDomains(tool.blocked_domains)
  if (blocked !== undefined) search.blockedDomains = blocked
  const location = decodeLocation(tool.user_location)
  if (location !== undefined) search.location = location
  const extra = unknownFields(tool, FIELDS)
  if (extra !== undefined) search.extra = extraOf(DIALECT, extra)
  return search
}

/** Encodes the web search of another dialect's caller as Anthropic's tool. */
export function encodeWebSearch(search: WebSearch, losses: LossList): JsonObject {
  const { maxUses, allowedDomains, blockedDomains, location } = search
  // Anthropic accepts only one of the two domain lists.
  reportSearch(search, allowedDomains === undefined ? ALL_KNOWN : KNOWN, losses)
  const tool: JsonObject = { type: OWN_TYPE, name: NAME }
  if (maxUses !== undefined) tool.max_uses = maxUses
  if (allowedDomains !== undefined) tool.allowed_domains = [...allowedDomains]
  else if (blockedDomains !== undefined) tool.blocked_domains = [...blockedDomains]
  if (location !== undefined) tool.user_location = encodeLocation(location)
  return tool
}

const USE = "server_tool_use"
const RESULT = "web_search_tool_result"
/** The prefix of the ids that the gateway assigns to other vendors' searches, to recognize them in later requests. */
const OWN_ID = "srvtoolu_tollgate_"
/** Placeholder for Anthropic's encrypted content. Nothing reads it. */
const NOT_ENCRYPTED = "tollgate"

/** Collects the searches of one response. Anthropic reports the query and the results in separate blocks. */
export class SearchSteps {
  readonly #queries = new Map<string, string>()

  /**
   * Reads a block.
   * @returns the search if the block completes it.
   */
  read(block: JsonObject): WebSearchPart | undefined {
    if (block.type === USE && block.name === NAME) {
      const input = isJsonObject(block.input) ? block.input : {}
      this.#queries.set(textAt(block, "id") ?? "", textAt(input, "query") ?? "")
    }
    if (block.type !== RESULT) return undefined
    const query = this.#queries.get(textAt(block, "tool_use_id") ?? "")
    const pages = listAt(block, "content")
      .filter(isJsonObject)
      .flatMap((page) =>
        foundPage(textAt(page, "url"), textAt(page, "title"), textAt(page, "page_age")),
      )
    const search: Writable<WebSearchPart> = {
      type: "web-search",
      queries: query === undefined ? [] : [query],
      pages,
      uses: 1,
      reportedIn: DIALECT,
    }
    if (objectAt(block, "content") !== undefined) search.failed = true
    return search
  }
}

/** Another vendor's search in the form of Anthropic's own searches. */
interface SearchBlocks {
  /** The block of the query, without its input, which is streamed. */
  readonly use: JsonObject
  readonly input: JsonObject
  readonly result: JsonObject
}

/** Returns the two blocks of a search (@anthropic-ai/sdk 1.12, `ServerToolUseBlock`, `WebSearchToolResultBlock`). */
export function encodeSearch(search: WebSearchPart): SearchBlocks {
  const id = mintId(OWN_ID)
  const caller = DIRECT_CALLER
  return {
    use: { type: USE, id, name: NAME, input: {}, caller },
    input: encodeQueries(search.queries),
    result: { type: RESULT, tool_use_id: id, content: encodePages(search), caller },
  }
}

function encodePages({ pages, failed }: WebSearchPart): JsonObject | JsonObject[] {
  if (failed === true) return { type: "web_search_tool_result_error", error_code: "unavailable" }
  return pages.map(({ url, title, age }) => ({
    type: "web_search_result",
    url,
    title: title ?? url,
    encrypted_content: NOT_ENCRYPTED,
    page_age: age ?? null,
  }))
}

/** Whether `encodeSearch` created a block of the history. */
export function isReportedStep({ type, id, tool_use_id: useId }: JsonObject): boolean {
  if (type !== USE && type !== RESULT) return false
  const named = type === USE ? id : useId
  return typeof named === "string" && named.startsWith(OWN_ID)
}
