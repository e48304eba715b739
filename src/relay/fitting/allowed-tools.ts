import type { ChatRequest } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"

/**
 * A request to a vendor that has no way to say which tools are allowed: it is offered those alone, which
 * leaves the model the same to choose from.
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
