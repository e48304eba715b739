import type { Writable } from "../../canon/writable.ts"
import { extraOf } from "../../canon/extra.ts"
import { invalidType, unsupportedValue } from "../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  unknownFields,
} from "../../canon/json.ts"
import type { Tool, ToolChoice } from "../../canon/tool.ts"
import { type DecodedTools, requiresCall } from "../shared/tools.ts"
import { optionalFlag, optionalText } from "../shared/validation.ts"
import { decodeCache, encodeCache } from "./cache.ts"
import { DIALECT } from "./identifiers.ts"
import { wrongMember } from "./messages/block-position.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { LossList } from "../shared/losses.ts"
import { ANSWER_TOOL } from "../shared/schema.ts"
import { noteGrammar } from "../shared/text-tool.ts"
import type { AnthropicQuirks } from "./quirks.ts"
import { answersByTool, answerTool, closedSchema } from "./schema.ts"

const CHOICES = ["auto", "any", "tool", "none"] as const

const TOOL_FIELDS = new Set([
  "type",
  "name",
  "description",
  "input_schema",
  "strict",
  "cache_control",
  // Whether arguments are streamed early. Nothing is lost without this field.
  "eager_input_streaming",
])

/**
 * Returns the tools of a request; undefined if it has no tools. `others` are tools that Anthropic runs itself or has
 * trained its models on, such as `web_search_20250305`.
 */
export function decodeTools(value: JsonValue | undefined): DecodedTools<JsonObject> | undefined {
  if (!isDefined(value)) return undefined
  if (!Array.isArray(value)) throw invalidType("tools", "an array of objects", value)
  const tools: Tool[] = []
  const others: JsonObject[] = []
  for (const [index, tool] of value.entries()) {
    const name = `tools[${index}]`
    if (!isJsonObject(tool)) throw invalidType(name, "an object", tool)
    const { type } = tool
    if (!isDefined(type) || type === "custom") tools.push(decodeTool(tool, name))
    else if (typeof type === "string") others.push(tool)
    else throw invalidType(`${name}.type`, "a string", type)
  }
  return { tools, others }
}

export interface DecodedChoice {
  readonly toolChoice?: ToolChoice
  readonly parallelToolCalls?: boolean
}

/** Decodes which tool must be called, and whether parallel calls are allowed. */
export function decodeToolChoice(value: JsonValue | undefined): DecodedChoice {
  if (!isDefined(value)) return {}
  if (!isJsonObject(value)) throw invalidType("tool_choice", "an object", value)
  const toolChoice = choiceOf(value)
  const isSingle = value.disable_parallel_tool_use
  if (!isDefined(isSingle)) return { toolChoice }
  if (typeof isSingle === "boolean") return { toolChoice, parallelToolCalls: !isSingle }
  throw invalidType("tool_choice.disable_parallel_tool_use", "a boolean", isSingle)
}

function choiceOf(choice: JsonObject): ToolChoice {
  const { type, name } = choice
  switch (type) {
    case "auto":
    case "none":
      return { type }
    case "any":
      return { type: "required" }
    case "tool":
      if (typeof name === "string") return { type: "tool", name }
      throw wrongMember(name, "tool_choice.name", "a string")
    default:
  }
  if (typeof type === "string") throw unsupportedValue("tool_choice.type", type, CHOICES)
  throw wrongMember(type, "tool_choice.type", "a string")
}

function decodeTool(tool: JsonObject, place: string): Tool {
  const { name, input_schema: schema } = tool
  if (typeof name !== "string") throw wrongMember(name, `${place}.name`, "a string")
  if (!isJsonObject(schema)) throw wrongMember(schema, `${place}.input_schema`, "an object")
  const { type } = schema
  if (typeof type !== "string") {
    throw wrongMember(type, `${place}.input_schema.type`, "a string")
  }
  if (type !== "object") throw unsupportedValue(`${place}.input_schema.type`, type, ["object"])
  const decoded: Writable<Tool> = { name, parameters: schema }
  const description = optionalText(tool, "description", place)
  if (description !== undefined) decoded.description = description
  const strict = optionalFlag(tool, "strict", place)
  if (strict !== undefined) decoded.strict = strict
  const cache = decodeCache(tool.cache_control, () => `${place}.`)
  if (cache !== undefined) decoded.cache = cache
  const extra = unknownFields(tool, TOOL_FIELDS)
  if (extra !== undefined) decoded.extra = extraOf(DIALECT, extra)
  return decoded
}

/** Marks a call by the model itself. A program that the model wrote can also make calls. */
export const DIRECT_CALLER: JsonObject = { type: "direct" }

/**
 * Returns the tools of a request and the tool choice, as members of the body. If a response must follow a schema and
 * the vendor has no format for it, an additional tool is forced.
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
