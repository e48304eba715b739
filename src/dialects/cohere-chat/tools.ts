import { assertNever } from "../../canon/assert-never.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, type JsonValue, listAt } from "../../canon/json.ts"
import type { Tool, ToolChoice } from "../../canon/tool.ts"
import type { LossList } from "../shared/losses.ts"
import { noteGrammar } from "../shared/text-tool.ts"

/** The value that Cohere sends as the arguments of a call without arguments (recorded). */
export const NO_ARGUMENTS = "null"

/** The schema of tools without parameters. Cohere requires a schema for every tool. */
const NO_PARAMETERS: JsonObject = { type: "object", properties: {} }

/** Encodes `tools`, `strict_tools` and `tool_choice`; empty if the caller offers no tools. */
export function encodeTools(request: ChatRequest, losses: LossList): JsonObject {
  const { toolChoice } = request
  if (request.parallelToolCalls === false) losses.add("parallel_tool_calls")
  const tools = offeredTools(request.tools ?? [], toolChoice)
  if (tools.length === 0) return {}
  const fields: JsonObject = { tools: tools.map((tool) => encodeTool(tool, losses)) }
  if (areStrict(tools)) fields.strict_tools = true
  else if (tools.some((tool) => tool.strict === true)) losses.add("tools.strict")
  const choice = encodeChoice(toolChoice, losses)
  if (choice !== undefined) fields.tool_choice = choice
  return fields
}

/**
 * Returns the tools to offer. Cohere has no option to require a specific tool, but a model can only call the offered
 * tools.
 */
function offeredTools(tools: readonly Tool[], choice: ToolChoice | undefined): readonly Tool[] {
  if (choice?.type !== "tool") return tools
  const named = tools.filter((tool) => tool.name === choice.name)
  return named.length === 0 ? tools : named
}

/**
 * Whether the tools are strict. Cohere applies strictness to all tools together, and requires that each tool has a
 * required parameter.
 */
function areStrict(tools: readonly Tool[]): boolean {
  return tools.every(
    ({ strict, parameters = {} }) => strict === true && listAt(parameters, "required").length > 0,
  )
}

function encodeTool(tool: Tool, losses: LossList): JsonObject {
  noteGrammar(tool, losses)
  if (tool.cache !== undefined) losses.add("cache_control")
  const declared: JsonObject = { name: tool.name }
  if (tool.description !== undefined) declared.description = tool.description
  declared.parameters = isJsonObject(tool.parameters) ? tool.parameters : NO_PARAMETERS
  return { type: "function", function: declared, ...losses.fieldsOf(tool.extra) }
}

/**
 * Encodes the tool choice.
 * @returns undefined if the model may choose freely, which is the default.
 */
function encodeChoice(choice: ToolChoice | undefined, losses: LossList): string | undefined {
  switch (choice?.type) {
    case undefined:
    case "auto":
      return undefined
    case "none":
      return "NONE"
    case "required":
      return "REQUIRED"
    case "tool":
      losses.add("tool_choice", "approximated")
      return "REQUIRED"
    default:
      return assertNever(choice)
  }
}

/**
 * Returns arguments as JSON text: `{}` for a call without arguments, for which Cohere sends an empty string or `null`
 * (docs/contribute/wire/README.md#f3).
 */
export function argumentsText(value: JsonValue | undefined): string {
  return typeof value === "string" && value !== "" && value !== NO_ARGUMENTS ? value : "{}"
}
