/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject

/** A JSON object: what a request body is before its dialect has read it. */
export interface JsonObject {
  [key: string]: JsonValue | undefined
}

/** Whether a value is an object and neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The object a text holds, or undefined when it is not JSON or not an object. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
