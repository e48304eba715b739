import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"

/**
 * Returns the custom tool of a call. Servers that send every member of OpenAI's types add an empty `custom` to the
 * `function` of a call. The type of the call is therefore decisive, and an empty member is ignored.
 */
export function customIn(call: JsonObject): JsonObject | undefined {
  const { custom, type } = call
  if (!isJsonObject(custom) || type === "function") return undefined
  const isEmpty = !custom.name && !custom.input
  return isEmpty && isJsonObject(call.function) ? undefined : custom
}

/**
 * Returns the older `function_call` of a message; undefined if it is empty, as some servers send it in every message.
 */
export function legacyCallIn(value: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined
  return value.name || value.arguments ? value : undefined
}
