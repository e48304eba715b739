import type { ChatRequest } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { Message } from "../../canon/message.ts"
import type { Tool, ToolChoice } from "../../canon/tool.ts"
import type { LossList } from "../shared/losses.ts"
import { requiresCall } from "../shared/tools.ts"
import { noteGrammar } from "../shared/text-tool.ts"
import { CachePoints } from "./cache.ts"
import type { ModelFamily } from "./quirks.ts"
import { isStructuredSchema, type JsonResponse } from "./schema.ts"

/** The tools of a request, and the parts that are specific to the model's maker. */
export interface EncodedTools {
  readonly toolConfig?: JsonObject
  /** Members of `additionalModelRequestFields`. */
  readonly additional?: JsonObject
  /** Whether a call is required. Claude cannot think before a required call. */
  readonly isForced: boolean
}

/**
 * Encodes `toolConfig`. Converse cannot express "no tools". The request then declares no tools, unless the conversation
 * has calls. In that case, the declaration is mandatory and the model could call the tools.
 */
export function encodeTools(
  request: ChatRequest,
  response: JsonResponse | undefined,
  family: ModelFamily,
  losses: LossList,
): EncodedTools {
  const declared = declaredTools(request, response, losses)
  const points = new CachePoints(family, losses)
  const tools: JsonObject[] = []
  for (const tool of declared) {
    tools.push(encodeTool(tool, family, losses))
    points.mark(tools, tool.cache, "tools")
  }
  if (tools.length === 0) return { isForced: false }
  const choice = encodeChoice(requiredChoice(request, response), declared.length, family, losses)
  const isForced = choice.type !== "auto"
  if (request.parallelToolCalls === false) {
    if (family.parallelSwitch) {
      // Together with this field, Converse accepts no other tool choice.
      const only = { ...choice, disable_parallel_tool_use: true }
      return { toolConfig: { tools }, additional: { tool_choice: only }, isForced }
    }
    losses.add("parallel_tool_calls")
  }
  if (!isForced) return { toolConfig: { tools }, isForced }
  const { type, ...rest } = choice
  return { toolConfig: { tools, toolChoice: { [type]: rest } }, isForced }
}

function declaredTools(
  request: ChatRequest,
  response: JsonResponse | undefined,
  losses: LossList,
): Tool[] {
  const { tools = [], toolChoice, messages } = request
  let declared = [...tools]
  if (tools.length === 0 || toolChoice?.type === "none") {
    const called = calledTools(messages)
    if (called.size === 0) declared = []
    else if (declared.length === 0) declared = [...called].map((name) => ({ name }))
    // If a response tool is required, the model cannot call other tools.
    if (declared.length > 0 && response?.way !== "tool") losses.add("tool_choice", "approximated")
  }
  if (response?.way !== "tool") return declared
  const { tool: name, schema, format } = response
  const purpose = "Gives the final answer: its arguments are the answer, whole."
  const description = format.description ? `${purpose} ${format.description}` : purpose
  return [...declared, { name, description, parameters: schema }]
}

/** Returns the names of tools that were called earlier in the conversation. */
function calledTools(messages: readonly Message[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === "tool-call") names.add(part.name)
  }
  return names
}

function encodeTool(tool: Tool, family: ModelFamily, losses: LossList): JsonObject {
  losses.fieldsOf(tool.extra)
  noteGrammar(tool, losses)
  const toolSpec: JsonObject = { name: tool.name }
  // Converse rejects an empty description.
  if (tool.description?.trim()) toolSpec.description = tool.description
  const schema: JsonObject = { type: "object", ...tool.parameters }
  toolSpec.inputSchema = { json: schema }
  if (tool.strict === true) {
    if (family.structuredOutput && isStructuredSchema(schema)) toolSpec.strict = true
    else losses.add("tools.strict")
  }
  return { toolSpec }
}

/** Returns the tool choice. If the response itself is a tool call, the model may also call other tools. */
function requiredChoice(request: ChatRequest, response: JsonResponse | undefined): ToolChoice {
  const { toolChoice = { type: "auto" }, tools = [] } = request
  if (response?.way !== "tool") return toolChoice
  const isOnly = tools.length === 0 || toolChoice.type === "none"
  return isOnly ? { type: "tool", name: response.tool } : { type: "required" }
}

/** A tool choice in the names that Converse and Claude share. */
type EncodedChoice = { readonly type: "auto" | "any" } | { readonly type: "tool"; name: string }

function encodeChoice(
  choice: ToolChoice,
  toolCount: number,
  family: ModelFamily,
  losses: LossList,
): EncodedChoice {
  const isRequired = requiresCall(choice)
  if (!isRequired || family.toolChoice === "auto") {
    if (isRequired) losses.add("tool_choice", "approximated")
    return { type: "auto" }
  }
  if (choice.type !== "tool") return { type: "any" }
  if (family.toolChoice === "tool") return { type: "tool", name: choice.name }
  // With only one tool, requiring a call to any tool has the same effect.
  if (toolCount > 1) losses.add("tool_choice", "approximated")
  return { type: "any" }
}
