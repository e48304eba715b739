import type { Tool, ToolChoice } from "../../canon/chat.ts"
import { invalidType, missingParameter, unsupportedValue } from "../../canon/invalid-request.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  isThere,
  unknownFields,
} from "../../canon/json.ts"
import type { Draft } from "../../canon/draft.ts"
import { takeCache } from "./cache.ts"
import { extraOf } from "./wire.ts"

const TOOL_CHOICES = ["none", "auto", "required"] as const

const TOOL_FIELDS = new Set(["type", "function"])
const FUNCTION_FIELDS = new Set(["name", "description", "parameters", "strict"])

export interface DecodedTools {
  readonly tools: readonly Tool[]
  /** Tools that are no functions: custom tools, and those a vendor runs itself. */
  readonly others: readonly JsonValue[]
}

/** The tools of a request; undefined when it has none. */
export function decodeTools(value: JsonValue | undefined): DecodedTools | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw invalidType("tools", "an array of objects", value)
  const tools: Tool[] = []
  const others: JsonValue[] = []
  for (let index = 0; index < value.length; index++) {
    const tool = value[index]
    if (!isJsonObject(tool)) throw invalidType(`tools[${index}]`, "an object", tool)
    // Mistral's own client leaves the type of a function out.
    const type = tool.type ?? (isJsonObject(tool.function) ? "function" : undefined)
    if (type === "function") tools.push(decodeFunction(tool, index))
    else if (typeof type === "string") others.push(tool)
    else throw wrong(type, `tools[${index}].type`, "a string")
  }
  return { tools, others }
}

/** @returns undefined when the caller chose nothing, or in a way that only this dialect knows. */
export function decodeToolChoice(value: JsonValue | undefined): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === "string") return decodeChoiceWord(value)
  if (!isJsonObject(value)) {
    throw invalidType("tool_choice", "one of a string or object", value)
  }
  if (typeof value.type !== "string") throw wrong(value.type, "tool_choice.type", "a string")
  if (value.type !== "function") return undefined
  const called = value.function
  if (!isJsonObject(called)) throw wrong(called, "tool_choice.function", "an object")
  if (typeof called.name !== "string") {
    throw wrong(called.name, "tool_choice.function.name", "a string")
  }
  return { type: "tool", name: called.name }
}

function decodeChoiceWord(word: string): ToolChoice {
  switch (word) {
    case "auto":
    case "none":
    case "required":
      return { type: word }
    // Mistral's word for it.
    case "any":
      return { type: "required" }
    default:
      throw unsupportedValue("tool_choice", word, TOOL_CHOICES)
  }
}

function decodeFunction(tool: JsonObject, index: number): Tool {
  const name = `tools[${index}].function`
  const declared = tool.function
  if (!isJsonObject(declared)) throw wrong(declared, name, "an object")
  if (typeof declared.name !== "string") throw wrong(declared.name, `${name}.name`, "a string")
  const { description, parameters, strict } = declared
  const decoded: Draft<Tool> = { name: declared.name }
  if (typeof description === "string") decoded.description = description
  else if (isThere(description)) throw invalidType(`${name}.description`, "a string", description)
  if (isJsonObject(parameters)) decoded.parameters = parameters
  else if (isThere(parameters)) throw invalidType(`${name}.parameters`, "an object", parameters)
  if (typeof strict === "boolean") decoded.strict = strict
  else if (isThere(strict)) throw invalidType(`${name}.strict`, "a boolean", strict)
  const inside = unknownFields(declared, FUNCTION_FIELDS)
  const outside = unknownFields(tool, TOOL_FIELDS)
  const { cache, extra } = takeCache(
    inside === undefined ? outside : { ...outside, function: inside },
  )
  if (cache !== undefined) decoded.cache = cache
  if (extra !== undefined) decoded.extra = extraOf(extra)
  return decoded
}

function wrong(value: JsonValue | undefined, name: string, expected: string): Error {
  return value === undefined ? missingParameter(name) : invalidType(name, expected, value)
}
