import type { Extra } from "./extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"

/**
 * Maximum depth for merging the extras of several events. Below it, the later one replaces the
 * earlier.
 */
const MERGE_DEPTH = 4

/**
 * Merges the extras of several events: lists are appended, objects are merged, other values are
 * replaced. It owns its lists and objects, so that each event is added in place.
 */
export class MergedExtra {
  #whole: Extra | undefined

  get whole(): Extra | undefined {
    return this.#whole
  }

  /** Adds an extra. An extra of another dialect replaces the present one. */
  add({ dialect, fields }: Extra): void {
    if (this.#whole?.dialect !== dialect) this.#whole = { dialect, fields: {} }
    mergeInto(this.#whole.fields, fields, MERGE_DEPTH)
  }
}

function mergeInto(merged: JsonObject, fields: JsonObject, depth: number): void {
  for (const [name, value] of Object.entries(fields)) {
    // Inherited members are not part of the extra.
    const earlier = Object.hasOwn(merged, name) ? merged[name] : undefined
    if (Array.isArray(earlier) && Array.isArray(value)) for (const item of value) earlier.push(item)
    else if (depth > 0 && isJsonObject(earlier) && isJsonObject(value)) {
      mergeInto(earlier, value, depth - 1)
    } else merged[name] = copied(value, depth)
  }
}

/** Copies lists and objects that may be merged later. */
function copied(value: JsonValue | undefined, depth: number): JsonValue | undefined {
  if (Array.isArray(value)) return [...value]
  if (depth === 0 || !isJsonObject(value)) return value
  const copy: JsonObject = {}
  mergeInto(copy, value, depth - 1)
  return copy
}
