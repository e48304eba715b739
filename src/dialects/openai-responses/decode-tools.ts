import type { Tool, ToolChoice } from "../../canon/chat.ts"
import type { Draft } from "../../canon/draft.ts"
import { invalidType, missingParameter, unsupportedValue } from "../../canon/invalid-request.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  isThere,
  unknownFields,
} from "../../canon/json.ts"

import { extraOf } from "./wire.ts"

const TOOL_CHOICES = ["none", "auto", "required"] as const

const TOOL_FIELDS = new Set(["type", "name", "description", "parameters", "strict"])

export interface DecodedTools {
  readonly tools: readonly Tool[]
  /** Tools that are no functions: custom ones, and those a vendor runs itself. */
  readonly others: readonly JsonValue[]
}

/** The tools of a request; undefined when it has none. */
export function decodeTools(value: JsonValue | undefined): DecodedTools | undefined {
  if (!isThere(value)) return undefined
  if (!Array.isArray(value)) throw invalidType("tools", "an array of objects", value)
  const tools: Tool[] = []
  const others: JsonValue[] = []
  for (let index = 0; index < value.length; index++) {
    const tool = value[index]
    const name = `tools[${index}]`
    if (!isJsonObject(tool)) throw invalidType(name, "an object", tool)
    if (tool.type === "function") tools.push(decodeFunction(tool, name))
    else if (typeof tool.type === "string") others.push(tool)
    else throw wrongMember(tool.type, `${name}.type`, "a string")
  }
  return { tools, others }
}

/** @returns undefined for choices that only this dialect has, such as `allowed_tools`. */
export function decodeToolChoice(value: JsonValue | undefined): ToolChoice | undefined {
  if (!isThere(value)) return undefined
  if (typeof value === "string") {
    const type = TOOL_CHOICES.find((known) => known === value)
    if (type === undefined) throw unsupportedValue("tool_choice", value, TOOL_CHOICES)
    return { type }
  }
  if (!isJsonObject(value)) {
    throw invalidType("tool_choice", "one of a tool choice or object", value)
  }
  if (typeof value.type !== "string") {
    throw wrongMember(value.type, "tool_choice.type", "a string")
  }
  if (value.type !== "function") return undefined
  if (typeof value.name === "string") return { type: "tool", name: value.name }
  throw wrongMember(value.name, "tool_choice.name", "a string")
}

function decodeFunction(tool: JsonObject, name: string): Tool {
  if (typeof tool.name !== "string") throw wrongMember(tool.name, `${name}.name`, "a string")
  const { description, parameters, strict } = tool
  const decoded: Draft<Tool> = { name: tool.name }
  if (typeof description === "string") decoded.description = description
  else if (isThere(description)) throw invalidType(`${name}.description`, "a string", description)
  if (isJsonObject(parameters)) decoded.parameters = parameters
  else if (isThere(parameters)) throw invalidType(`${name}.parameters`, "an object", parameters)
  if (typeof strict === "boolean") decoded.strict = strict
  else if (isThere(strict)) throw invalidType(`${name}.strict`, "a boolean", strict)
  const extra = unknownFields(tool, TOOL_FIELDS)
  if (extra !== undefined) decoded.extra = extraOf(extra)
  return decoded
}

function wrongMember(value: JsonValue | undefined, name: string, expected: string): Error {
  return value === undefined ? missingParameter(name) : invalidType(name, expected, value)
}
