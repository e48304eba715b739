import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import { type JsonObject, unknownFields } from "../../../canon/json.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import type { WebSearch } from "../../../canon/web-search.ts"
import type { LossList } from "../../shared/losses.ts"
import {
  decodeDomains,
  decodeLocation,
  encodeLocation,
  reportSearch,
  type SearchWord,
} from "../../shared/search.ts"
import { DIALECT } from "../identifiers.ts"

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
