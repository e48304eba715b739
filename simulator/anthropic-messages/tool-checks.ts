import { arrayOf, isObject, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"

const NAME = /^[a-zA-Z0-9_-]{1,128}$/
// Matches the types of tools that Anthropic runs or defines. These types end with the date of their version.
const DATED_TYPE = /_?20\d{6}$/
const FIELDS = new Set([
  "type",
  "name",
  "description",
  "input_schema",
  "cache_control",
  "strict",
  "allowed_callers",
  "defer_loading",
  "eager_input_streaming",
  "input_examples",
])

/** Returns Anthropic's error for the offered tools. */
export function checkTools(tools: Json | undefined): string | undefined {
  const names = new Set<string>()
  for (const [index, tool] of arrayOf(tools).entries()) {
    const place = `tools.${index}`
    if (!isObject(tool)) return `${place}: Input should be a valid dictionary`
    const error = checkTool(tool, place)
    if (error !== undefined) return error
    const name = stringOf(tool.name)
    if (names.has(name)) return "tools: Tool names must be unique."
    names.add(name)
  }
  return undefined
}

function checkTool(tool: JsonObject, place: string): string | undefined {
  const { type, name, input_schema: schema } = tool
  if (typeof type === "string" && type !== "custom") {
    if (DATED_TYPE.test(type)) return undefined
    return `${place}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'custom'`
  }
  for (const field in tool) {
    if (!FIELDS.has(field)) return `${place}.custom.${field}: Extra inputs are not permitted`
  }
  if (typeof name !== "string") return `${place}.custom.name: Field required`
  if (!NAME.test(name)) {
    return `${place}.custom.name: String should match pattern '${NAME.source}'`
  }
  if (schema === undefined) return `${place}.custom.input_schema: Field required`
  if (!isObject(schema)) return `${place}.custom.input_schema: Input should be a valid dictionary`
  if (schema.type === undefined) return `${place}.custom.input_schema.type: Field required`
  return schema.type === "object"
    ? undefined
    : `${place}.custom.input_schema.type: Input should be 'object'`
}

/** Returns Anthropic's error for the tool choice. */
export function checkToolChoice(body: JsonObject): string | undefined {
  if (body.tool_choice === undefined) return undefined
  const { type, name, ...rest } = objectOf(body.tool_choice)
  if (!["auto", "any", "tool", "none"].includes(stringOf(type))) {
    return `tool_choice: Input tag '${stringOf(type)}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`
  }
  for (const field in rest) {
    if (field !== "disable_parallel_tool_use" || type === "none") {
      return `tool_choice.${stringOf(type)}.${field}: Extra inputs are not permitted`
    }
  }
  const tools = arrayOf(body.tools)
  if (tools.length === 0) return "tool_choice may only be specified while providing tools."
  if (type !== "tool") return undefined
  if (typeof name !== "string") return "tool_choice.tool.name: Field required"
  if (tools.some((tool) => objectOf(tool).name === name)) return undefined
  return `Tool '${name}' not found in provided tools`
}
