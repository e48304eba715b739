import type { Extra } from "./extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"

/** How deep the extras of several events are merged; below that the later one replaces the earlier. */
const MERGE_DEPTH = 4

/**
 * The extras of several events as one: lists are appended, objects are merged, anything else is replaced. It
 * owns its lists and objects, so that each event is added in place, however many there are.
 */
export class MergedExtra {
  #whole: Extra | undefined

  get whole(): Extra | undefined {
    return this.#whole
  }

  /** Those of another dialect replace the present ones. */
  add({ dialect, fields }: Extra): void {
    if (this.#whole?.dialect !== dialect) this.#whole = { dialect, fields: {} }
    mergeInto(this.#whole.fields, fields, MERGE_DEPTH)
  }
}

function mergeInto(merged: JsonObject, fields: JsonObject, depth: number): void {
  for (const [name, value] of Object.entries(fields)) {
    // What every object inherits is not part of it.
    const earlier = Object.hasOwn(merged, name) ? merged[name] : undefined
    if (Array.isArray(earlier) && Array.isArray(value)) for (const item of value) earlier.push(item)
    else if (depth > 0 && isJsonObject(earlier) && isJsonObject(value)) {
      mergeInto(earlier, value, depth - 1)
    } else merged[name] = copied(value, depth)
  }
}

/** Of lists and of objects that more may be merged into. */
function copied(value: JsonValue | undefined, depth: number): JsonValue | undefined {
  if (Array.isArray(value)) return [...value]
  if (depth === 0 || !isJsonObject(value)) return value
  const copy: JsonObject = {}
  mergeInto(copy, value, depth - 1)
  return copy
}
