import { extraOf } from "../../canon/extra.ts"
import { invalidType, unsupportedValue } from "../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  unknownFields,
} from "../../canon/json.ts"
import type { AllowedTools, Tool, ToolChoice } from "../../canon/tool.ts"
import { decodeDeclaration, type DecodedTools, decodeTextDeclaration } from "../shared/tools.ts"
import { requiredText, wrongMember } from "../shared/validation.ts"
import { textTool } from "../shared/text-tool.ts"
import { takeCache } from "./cache.ts"
import { DIALECT } from "./identifiers.ts"

const TOOL_CHOICES = ["none", "auto", "required"] as const

const TOOL_FIELDS = new Set(["type", "function"])
const CUSTOM_TOOL_FIELDS = new Set(["type", "custom"])
const CUSTOM_FIELDS = new Set(["name", "description", "format"])
const FUNCTION_FIELDS = new Set(["name", "description", "parameters", "strict"])

/** Returns the tools of a request; undefined if it has no tools. */
export function decodeTools(value: JsonValue | undefined): DecodedTools | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw invalidType("tools", "an array of objects", value)
  const tools: Tool[] = []
  const others: JsonValue[] = []
  for (let index = 0; index < value.length; index++) {
    const tool = value[index]
    if (!isJsonObject(tool)) throw invalidType(`tools[${index}]`, "an object", tool)
    // Mistral's client omits the type of a function.
    const type = tool.type ?? (isJsonObject(tool.function) ? "function" : undefined)
    if (type === "function") tools.push(decodeFunction(tool, index))
    else if (type === "custom") tools.push(decodeCustom(tool, index))
    else if (typeof type === "string") others.push(tool)
    else throw wrongMember(type, `tools[${index}].type`, "a string")
  }
  return { tools, others }
}

/** Returns functions in the legacy form; undefined if the request has no such functions. */
export function decodeLegacyFunctions(value: JsonValue | undefined): readonly Tool[] | undefined {
  if (!isDefined(value)) return undefined
  if (!Array.isArray(value)) throw invalidType("functions", "an array of objects", value)
  return value.map((declared, index) => {
    const name = `functions[${index}]`
    if (!isJsonObject(declared)) throw invalidType(name, "an object", declared)
    const decoded = decodeDeclaration(declared, name)
    decoded.origin = { form: "legacy", name: decoded.name }
    const { cache, extra: rest } = takeCache(unknownFields(declared, FUNCTION_FIELDS))
    if (cache !== undefined) decoded.cache = cache
    if (rest !== undefined) decoded.extra = extraOf(DIALECT, { function: rest })
    return decoded
  })
}

/** Returns the tool choice of a request with legacy functions. */
export function decodeLegacyChoice(value: JsonValue | undefined): ToolChoice | undefined {
  if (!isDefined(value)) return undefined
  if (value === "none" || value === "auto") return { type: value }
  if (typeof value === "string") throw unsupportedValue("function_call", value, ["none", "auto"])
  if (!isJsonObject(value)) throw invalidType("function_call", "one of a string or object", value)
  return { type: "tool", name: requiredText(value, "name", "function_call") }
}

/**
 * Decodes the tool choice.
 * @returns undefined if the request has no tool choice, or a choice that exists in this dialect only.
 */
export function decodeToolChoice(value: JsonValue | undefined): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === "string") return decodeChoiceWord(value)
  if (!isJsonObject(value)) {
    throw invalidType("tool_choice", "one of a string or object", value)
  }
  // Hugging Face's client omits the type.
  const type = value.type ?? (isJsonObject(value.function) ? "function" : undefined)
  if (typeof type !== "string") throw wrongMember(type, "tool_choice.type", "a string")
  if (type !== "function" && type !== "custom") return undefined
  const called = value[type]
  if (!isJsonObject(called)) throw wrongMember(called, `tool_choice.${type}`, "an object")
  return { type: "tool", name: requiredText(called, "name", `tool_choice.${type}`) }
}

/** Returns the names that `allowed_tools` allows; undefined for every other choice. */
export function decodeAllowedTools(value: JsonValue | undefined): AllowedTools | undefined {
  if (!isJsonObject(value) || value.type !== "allowed_tools") return undefined
  const { allowed_tools: allowed } = value
  if (!isJsonObject(allowed) || !Array.isArray(allowed.tools)) return undefined
  const names = allowed.tools.flatMap((tool) => {
    const called = isJsonObject(tool) ? (tool.function ?? tool.custom) : undefined
    return isJsonObject(called) && typeof called.name === "string" ? [called.name] : []
  })
  return { mode: allowed.mode === "required" ? "required" : "auto", names }
}

function decodeChoiceWord(word: string): ToolChoice {
  switch (word) {
    case "auto":
    case "none":
    case "required":
      return { type: word }
    // Mistral's name for `required`.
    case "any":
      return { type: "required" }
    default:
      throw unsupportedValue("tool_choice", word, TOOL_CHOICES)
  }
}

function decodeFunction(tool: JsonObject, index: number): Tool {
  const name = `tools[${index}].function`
  const declared = tool.function
  if (!isJsonObject(declared)) throw wrongMember(declared, name, "an object")
  const inside = unknownFields(declared, FUNCTION_FIELDS)
  const outside = unknownFields(tool, TOOL_FIELDS)
  return withRest(decodeDeclaration(declared, name), outside, inside && { function: inside })
}

/** Decodes a custom tool. Its grammar is nested one level deeper than in OpenAI's responses API. */
function decodeCustom(tool: JsonObject, index: number): Tool {
  const place = `tools[${index}].custom`
  const declared = tool.custom
  if (!isJsonObject(declared)) throw wrongMember(declared, place, "an object")
  const origin = decodeTextDeclaration(declared, place)
  if (isJsonObject(origin.format?.grammar)) {
    const { grammar, ...rest } = origin.format
    origin.format = { ...rest, ...grammar }
  }
  const inside = unknownFields(declared, CUSTOM_FIELDS)
  const outside = unknownFields(tool, CUSTOM_TOOL_FIELDS)
  return withRest(textTool(origin.name, origin), outside, inside && { custom: inside })
}

function withRest(tool: Tool, outside?: JsonObject, inside?: JsonObject): Tool {
  if (outside === undefined && inside === undefined) return tool
  const { cache, extra } = takeCache({ ...outside, ...inside })
  return {
    ...tool,
    ...(cache === undefined ? {} : { cache }),
    ...(extra === undefined ? {} : { extra: extraOf(DIALECT, extra) }),
  }
}
