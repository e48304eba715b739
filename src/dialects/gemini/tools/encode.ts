import type { ChatRequest } from "../../../canon/chat.ts"
import type { JsonObject } from "../../../canon/json.ts"
import type { Tool, ToolChoice } from "../../../canon/tool.ts"
import type { LossList } from "../../shared/losses.ts"
import { noteGrammar } from "../../shared/text-tool.ts"

/**
 * Encodes the functions of a request, and which of them the model may or must call (docs/contribute/wire/gemini.md#f2).
 */
export function encodeTools(request: ChatRequest, losses: LossList): JsonObject {
  const { tools, toolChoice, parallelToolCalls } = request
  if (tools === undefined || tools.length === 0) return {}
  // Gemini itself decides about parallel calls, so only a request to disable them is a loss.
  if (parallelToolCalls === false) losses.add("parallel_tool_calls")
  const fields: JsonObject = {
    tools: [{ functionDeclarations: tools.map((tool) => declare(tool, losses)) }],
  }
  if (toolChoice !== undefined) {
    fields.toolConfig = { functionCallingConfig: encodeChoice(toolChoice) }
  }
  return fields
}

/**
 * Declares a function. `parametersJsonSchema` accepts any JSON schema, but `parameters` only a subset of OpenAPI's
 * schema.
 */
function declare(tool: Tool, losses: LossList): JsonObject {
  noteGrammar(tool, losses)
  if (tool.strict === true) losses.add("tools.strict")
  if (tool.cache !== undefined) losses.add("cache_control")
  const declared: JsonObject = { name: tool.name }
  if (tool.description !== undefined) declared.description = tool.description
  if (tool.parameters !== undefined) declared.parametersJsonSchema = tool.parameters
  return { ...declared, ...losses.fieldsOf(tool.extra) }
}

function encodeChoice(choice: ToolChoice): JsonObject {
  switch (choice.type) {
    case "auto":
      return { mode: "AUTO" }
    case "none":
      return { mode: "NONE" }
    case "required":
      return { mode: "ANY" }
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [choice.name] }
  }
}
