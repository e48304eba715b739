import type { JsonObject, JsonValue } from "../../canon/json.ts"

export const DIALECT = "bedrock-converse"

/** The longest id of a call, and the longest name of a tool: Amazon's description has `ToolUseId` and `ToolName`. */
export const LONGEST_NAME = 64

/** Sets a member where there is a value. */
export function set(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value !== undefined) object[name] = value
}
