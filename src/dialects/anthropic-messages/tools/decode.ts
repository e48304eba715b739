import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import { invalidType, unsupportedValue } from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  unknownFields,
} from "../../../canon/json.ts"
import type { Tool, ToolChoice } from "../../../canon/tool.ts"
import type { DecodedTools } from "../../shared/tools.ts"
import { optionalFlag, optionalText } from "../../shared/validation.ts"
import { decodeCache } from "../cache.ts"
import { DIALECT } from "../identifiers.ts"
import { wrongMember } from "../messages/block-position.ts"

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
