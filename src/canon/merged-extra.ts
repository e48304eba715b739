import { GrowingMembers } from "./answer-limits.ts"
import type { Extra } from "./extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"

/**
 * Maximum depth to which the extras of several events are merged. At deeper levels, the later value replaces the
 * earlier value.
 */
const MERGE_DEPTH = 4

/**
 * Merges the extras of several events: lists are appended, objects are merged, and other values are replaced. It copies
 * lists and objects once, so that each event is added in place.
 */
export class MergedExtra {
  #whole: Extra | undefined
  readonly #members = new GrowingMembers()

  get whole(): Extra | undefined {
    return this.#whole
  }

  /**
   * Adds an extra. An extra of another dialect replaces the present one.
   * @throws GatewayError `upstream_error` for too many members.
   */
  add({ dialect, fields }: Extra): void {
    if (this.#whole?.dialect !== dialect) this.#whole = { dialect, fields: {} }
    this.#merge(this.#whole.fields, fields, MERGE_DEPTH)
  }

  #merge(merged: JsonObject, fields: JsonObject, depth: number): void {
    for (const [name, value] of Object.entries(fields)) {
      // Inherited members are not part of the extra.
      const earlier = Object.hasOwn(merged, name) ? merged[name] : undefined
      if (Array.isArray(earlier) && Array.isArray(value)) {
        for (const item of value) earlier.push(item)
      } else if (depth > 0 && isJsonObject(earlier) && isJsonObject(value)) {
        this.#merge(earlier, value, depth - 1)
      } else this.#members.set(merged, name, this.#copy(value, depth))
    }
  }

  /** Copies lists and objects that may be merged later. */
  #copy(value: JsonValue | undefined, depth: number): JsonValue | undefined {
    if (Array.isArray(value)) return [...value]
    if (depth === 0 || !isJsonObject(value)) return value
    const copy: JsonObject = {}
    this.#merge(copy, value, depth - 1)
    return copy
  }
}
