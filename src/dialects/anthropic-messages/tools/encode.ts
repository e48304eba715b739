import type { ChatRequest } from "../../../canon/chat.ts"
import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import type { Tool, ToolChoice } from "../../../canon/tool.ts"
import type { LossList } from "../../shared/losses.ts"
import { ANSWER_TOOL } from "../../shared/schema.ts"
import { noteGrammar } from "../../shared/text-tool.ts"
import { requiresCall } from "../../shared/tools.ts"
import { encodeCache } from "../cache.ts"
import type { AnthropicQuirks } from "../quirks.ts"
import { answersByTool, answerTool, closedSchema } from "../schema.ts"

/** Marks a call by the model itself. A program that the model wrote can also make calls. */
export const DIRECT_CALLER: JsonObject = { type: "direct" }

/**
 * Returns the tools of a request and the tool choice, as members of the body. If an answer must follow a schema and the
 * vendor has no format for it, an additional tool is forced.
 * @param others tools that exist in this dialect only.
 */
export function encodeTools(
  request: ChatRequest,
  others: readonly JsonValue[],
  quirks: AnthropicQuirks,
  losses: LossList,
): JsonObject {
  const own = (request.tools ?? []).map((tool) => encodeTool(tool, quirks, losses))
  const tools = [...own, ...others]
  if (answersByTool(request, quirks)) {
    losses.add("json_schema", "approximated")
    return {
      tools: [...tools, answerTool(request.responseFormat)],
      tool_choice: answerChoice(tools.length > 0, request.toolChoice),
    }
  }
  if (tools.length === 0) {
    if (requiresCall(request.toolChoice)) losses.add("tool_choice")
    return {}
  }
  const choice = encodeChoice(request)
  return choice === undefined ? { tools } : { tools, tool_choice: choice }
}

/** Whether the request requires a tool call. */
export function isForced({ tool_choice: choice }: JsonObject): boolean {
  const { type } = (choice ?? {}) as JsonObject
  return type === "any" || type === "tool"
}

function answerChoice(hasTools: boolean, choice: ToolChoice | undefined): JsonObject {
  const single = { disable_parallel_tool_use: true }
  return hasTools && choice?.type !== "none"
    ? { type: "any", ...single }
    : { type: "tool", name: ANSWER_TOOL, ...single }
}

function encodeChoice(request: ChatRequest): JsonObject | undefined {
  const { toolChoice: choice, parallelToolCalls } = request
  if (choice?.type === "none") return { type: "none" }
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {}
  switch (choice?.type) {
    case "auto":
      return { type: "auto", ...single }
    case "required":
      return { type: "any", ...single }
    case "tool":
      return { type: "tool", name: choice.name, ...single }
    case undefined:
      return parallelToolCalls === false ? { type: "auto", ...single } : undefined
  }
}

function encodeTool(tool: Tool, quirks: AnthropicQuirks, losses: LossList): JsonObject {
  noteGrammar(tool, losses)
  const isStrict = tool.strict === true && quirks.structuredOutput
  if (tool.strict === true && !quirks.structuredOutput) losses.add("tools.strict")
  const schema: JsonObject = { type: "object", ...tool.parameters }
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: isStrict ? closedSchema(schema) : schema,
    ...(isStrict ? { strict: true } : {}),
    ...encodeCache(tool.cache, losses),
    ...losses.fieldsOf(tool.extra),
  }
}
