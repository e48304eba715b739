import type { Writable } from "../../canon/writable.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import type { Tool, ToolChoice, ToolOrigin } from "../../canon/tool.ts"
import { optionalFlag, optionalObject, optionalText, requiredText } from "./validation.ts"

export interface DecodedTools<Other extends JsonValue = JsonValue> {
  readonly tools: readonly Tool[]
  /** Tools that a vendor runs itself, and tools of unknown kinds. */
  readonly others: readonly Other[]
}

/** Whether the model must call a tool. */
export function requiresCall(choice: ToolChoice | undefined): boolean {
  return choice?.type === "required" || choice?.type === "tool"
}

/**
 * Decodes a function as OpenAI's dialects declare it: `name`, `description`, `parameters`, `strict`.
 * @param place path of the declaration, for errors.
 */
export function decodeDeclaration(declared: JsonObject, place: string): Writable<Tool> {
  const tool: Writable<Tool> = { name: requiredText(declared, "name", place) }
  const description = optionalText(declared, "description", place)
  if (description !== undefined) tool.description = description
  const parameters = optionalObject(declared, "parameters", place)
  if (parameters !== undefined) tool.parameters = parameters
  const strict = optionalFlag(declared, "strict", place)
  if (strict !== undefined) tool.strict = strict
  return tool
}

/**
 * Decodes a custom tool as OpenAI's dialects declare it: `name`, `description`, `format`.
 * @param place path of the declaration, for errors.
 */
export function decodeTextDeclaration(declared: JsonObject, place: string): Writable<ToolOrigin> {
  const origin: Writable<ToolOrigin> = { form: "text", name: requiredText(declared, "name", place) }
  const description = optionalText(declared, "description", place)
  if (description !== undefined) origin.description = description
  const format = optionalObject(declared, "format", place)
  if (format !== undefined) origin.format = format
  return origin
}
