import type { Extra, Loss } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"

export const DIALECT = "openai-chat"

/** A type whose members are still being set. */
export type Draft<T> = { -readonly [Key in keyof T]: T[Key] }

/** Whether a value was given: null counts as absent, as OpenAI's API has it. */
export function isThere<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null
}

/** The fields as an extra of this dialect. */
export function extraOf(fields: JsonObject): Extra {
  return { dialect: DIALECT, fields }
}

/** The members that are not among the known ones, and not null; undefined when there are none. */
export function unknownFields(
  object: JsonObject,
  known: ReadonlySet<string>,
): JsonObject | undefined {
  let fields: JsonObject | undefined
  for (const key in object) {
    // A member of this name would become the prototype of the copy.
    if (known.has(key) || key === "__proto__") continue
    const value = object[key]
    if (value === null || value === undefined) continue
    fields ??= {}
    fields[key] = value
  }
  return fields
}

/** The member as an object, or undefined. */
export function objectAt(object: JsonObject, key: string): JsonObject | undefined {
  const value = object[key]
  return isJsonObject(value) ? value : undefined
}

/** The member as text that is not empty, or undefined. */
export function textAt(object: JsonObject, key: string): string | undefined {
  const value = object[key]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** The member as a list, empty when it is none. */
export function listAt(object: JsonObject, key: string): readonly JsonValue[] {
  const value = object[key]
  return Array.isArray(value) ? value : []
}

/** Losses, each name once. */
export class LossList {
  readonly losses: Loss[] = []

  add(name: string, effect: Loss["effect"] = "dropped"): void {
    if (!this.losses.some((loss) => loss.name === name)) this.losses.push({ name, effect })
  }

  /** The fields of an extra of this dialect; another dialect's are lost by name. */
  fieldsOf(extra: Extra | undefined): JsonObject | undefined {
    if (extra === undefined) return undefined
    if (extra.dialect === DIALECT) return extra.fields
    for (const name of Object.keys(extra.fields)) this.add(name)
    return undefined
  }
}
