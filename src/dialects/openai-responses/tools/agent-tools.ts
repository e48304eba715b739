import type { Loss } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import { WEB_SEARCH_TYPE } from "../search.ts"

/**
 * Tools that OpenAI's models were trained for and that OpenAI's agents send. Other vendors reject a request with these
 * tools.
 */
const AGENT_TOOLS: ReadonlySet<JsonValue | undefined> = new Set([
  "apply_patch",
  "local_shell",
  "shell",
  "tool_search",
])

/** The member that sets whether a search may read the live web, which is the default. */
const LIVE_ACCESS = "external_web_access"

/**
 * Removes tools and members that only OpenAI's own API accepts (docs/contribute/wire/openai-responses.md#f14). A
 * required tool stays, so that the vendor rejects the request.
 * @param body its lists are replaced and not modified.
 * @returns the losses.
 */
export function dropAgentTools(body: JsonObject): Loss[] {
  const { tools, input, tool_choice: choice } = body
  if (Array.isArray(input)) body.input = input.map(withoutNullContent)
  if (!Array.isArray(tools)) return []
  const losses: Loss[] = []
  const required = isJsonObject(choice) ? choice.type : undefined
  const kept = tools.filter((tool) => {
    const type = isJsonObject(tool) ? tool.type : undefined
    return !AGENT_TOOLS.has(type) || type === required
  })
  if (kept.length < tools.length) losses.push({ name: "tools", effect: "dropped" })
  const searches = kept.map((tool) => {
    if (!isJsonObject(tool) || !WEB_SEARCH_TYPE.test(String(tool.type))) return tool
    const { [LIVE_ACCESS]: isLive, ...search } = tool
    if (isLive === false) losses.push({ name: LIVE_ACCESS, effect: "dropped" })
    return search
  })
  body.tools = searches
  if (searches.length === 0) {
    for (const name of ["tools", "tool_choice", "parallel_tool_calls"]) delete body[name]
  }
  return losses
}

/** Removes `content: null`, which Codex writes for reasoning without text. */
function withoutNullContent(item: JsonValue): JsonValue {
  if (!isJsonObject(item) || item.type !== "reasoning" || item.content !== null) return item
  const { content: _, ...rest } = item
  return rest
}
