import type { ChatRequest, DialectId, WebSearch } from "../canon/chat.ts"
import type { JsonObject } from "../canon/json.ts"
import { demandsSearch, hasSearchFunction } from "../canon/web-search.ts"
import type { ChatOffer } from "../vendors/vendor.ts"
import { withAllowedTools } from "./allowed-tools.ts"

/**
 * A request as a dialect is to write it. What the caller's own dialect has among its extras goes there in
 * these; to another it goes in the words of the canon, where its vendor has such a thing.
 * @param from the caller's dialect.
 */
export function carriedRequest(
  request: ChatRequest,
  { dialect, webSearch: searches }: Pick<ChatOffer, "dialect" | "webSearch">,
  from: DialectId,
): ChatRequest {
  if (dialect.id === from) return request
  if (request.webSearch === undefined) return withAllowedTools(request)
  const { webSearch, ...rest } = request
  const isTaken = request.allowedTools !== undefined || hasSearchFunction(request.tools)
  if (searches === true && !isTaken) return { ...withoutDeclared(rest, webSearch), webSearch }
  return withAllowedTools(demandsSearch(request) ? withoutChoice(rest) : rest)
}

/** A tool that is not there, which is told, cannot have to be called. */
function withoutChoice(request: ChatRequest): ChatRequest {
  const { toolChoice: _, ...rest } = request
  return rest
}

/** The request without what says the search in the caller's own words: it is not lost. */
function withoutDeclared(request: ChatRequest, { declared }: WebSearch): ChatRequest {
  const { extra, ...rest } = request
  if (extra === undefined) return request
  const fields: JsonObject = { ...extra.fields }
  for (const name of declared.fields) delete fields[name]
  if (Array.isArray(fields.tools)) {
    const others = fields.tools.filter((tool) => tool !== declared.tool)
    if (others.length > 0) fields.tools = others
    else delete fields.tools
  }
  return Object.keys(fields).length === 0 ? rest : { ...rest, extra: { ...extra, fields } }
}
