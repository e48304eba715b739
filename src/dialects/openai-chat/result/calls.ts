import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"

/**
 * The text tool that a call names. Servers that send every member of OpenAI's types send an empty `custom` besides the
 * `function` of a call, so the type decides, and an empty member is ignored.
 */
export function customIn(call: JsonObject): JsonObject | undefined {
  const { custom, type } = call
  if (!isJsonObject(custom) || type === "function") return undefined
  const isEmpty = !custom.name && !custom.input
  return isEmpty && isJsonObject(call.function) ? undefined : custom
}

/** The older `function_call` of a message; undefined if it is empty, which some servers send in every message. */
export function legacyCallIn(value: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined
  return value.name || value.arguments ? value : undefined
}
