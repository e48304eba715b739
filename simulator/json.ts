/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject
/** A JSON object. A key that is absent reads as undefined. */
export interface JsonObject {
  [key: string]: Json | undefined
}

/** True for a JSON object, false for arrays and null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The value when it is an object, else an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The value when it is an array, else an empty array. */
export function arrayOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

/** The value when it is a string, else an empty string. */
export function stringOf(value: Json | undefined): string {
  return typeof value === "string" ? value : ""
}

/** A table's own entry: a name from outside may be one that every object inherits. */
export function entryOf<Entry>(table: Record<string, Entry>, name: string): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** The object that a text is JSON of; an empty one when it is none, as when it is broken off. */
export function parseObject(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return {}
  }
}
