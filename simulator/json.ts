/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject
/** A JSON object. A missing key reads as undefined. */
export interface JsonObject {
  [key: string]: Json | undefined
}

/** Whether a value is a JSON object, not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Returns the value if it is an object, or else an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns the value if it is an array, or else an empty array. */
export function arrayOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

/** Returns the value if it is a string, or else an empty string. */
export function stringOf(value: Json | undefined): string {
  return typeof value === "string" ? value : ""
}

/**
 * Returns an entry of a table. Names that every object inherits are excluded, because names may come from a request.
 */
export function entryOf<Entry>(table: Record<string, Entry>, name: string): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Parses an object. Returns an empty object if the text is not JSON or not an object. */
export function parseObject(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return {}
  }
}
