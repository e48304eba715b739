import type { ChatRequest } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"

/**
 * Returns a request for a vendor without an option for allowed tools. Only the allowed tools are offered, so the model
 * has the same choice.
 */
export function withAllowedTools(request: ChatRequest): ChatRequest {
  if (request.allowedTools === undefined) return request
  const { allowedTools, tools, extra, ...rest } = request
  const { mode, names } = allowedTools
  const allowed = new Set(names)
  const offered = tools?.filter(({ name }) => allowed.has(name)) ?? []
  const fields: JsonObject = { ...extra?.fields }
  delete fields.tool_choice
  return {
    ...rest,
    ...(offered.length > 0 && { tools: offered, toolChoice: { type: mode } }),
    ...(extra && Object.keys(fields).length > 0 && { extra: { ...extra, fields } }),
  }
}
