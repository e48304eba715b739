import { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"

/**
 * Matches the path of a tool's field: the index of the tool, and a member, because one tool of Google can contain
 * several.
 */
const TOOL_PLACE = /^tools\[(\d+)\]\.(\w+)$/

/** Types of tools that the caller runs. Such tools of Anthropic and Google have no type. */
const OWN_TYPES: ReadonlySet<JsonValue | undefined> = new Set([undefined, "custom", "function"])

/**
 * Returns the body without the tool for which a request was rejected because the tool has no price. Agents send
 * unpriced tools with every request, next to their own tools. If no tool of the caller's own remains, the tool is not
 * left out, because the request depends on it.
 * @returns undefined if the tool cannot be left out.
 */
export function withoutTool(body: JsonObject, rejection: unknown): JsonObject | undefined {
  if (!(rejection instanceof GatewayError) || rejection.kind !== "feature_not_priced")
    return undefined
  const place = TOOL_PLACE.exec(rejection.details.parameter ?? "")
  const { tools } = body
  if (place === null || !Array.isArray(tools)) return undefined
  const index = Number(place[1])
  // The rejected member is next to a function, which the caller needs.
  if (isFunction(tools[index])) return undefined
  const left = tools.flatMap((tool, at) => (at === index ? restOf(tool, place[2]) : [tool]))
  if (!left.some(isOwn) || isRequired(body, tools[index])) return undefined
  return { ...body, tools: left }
}

function restOf(tool: JsonValue, member = ""): JsonValue[] {
  if (!isJsonObject(tool) || tool.functionDeclarations === undefined) return []
  const { [member]: _, ...rest } = tool
  return [rest]
}

function isOwn(tool: JsonValue): boolean {
  return (isJsonObject(tool) && tool.functionDeclarations !== undefined) || isFunction(tool)
}

function isFunction(tool: JsonValue | undefined): boolean {
  if (!isJsonObject(tool) || !OWN_TYPES.has(tool.type)) return false
  return [tool.name, tool.function, tool.custom].some((member) => member !== undefined)
}

/** Whether the caller requires a call to the tool. */
function isRequired({ tool_choice: choice }: JsonObject, tool: JsonValue | undefined): boolean {
  if (!isJsonObject(choice) || !isJsonObject(tool)) return false
  const isNamed = choice.name !== undefined && choice.name === tool.name
  return (
    isNamed || (choice.type !== undefined && choice.type === tool.type && !OWN_TYPES.has(tool.type))
  )
}
