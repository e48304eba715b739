import { type SettingPath, YamlNumber } from "./yaml-value.ts"

/** A problem at one place in the data. */
export interface Finding {
  readonly path: SettingPath
  readonly message: string
  /** The invalid name below `path`, if a name is invalid instead of a value. */
  readonly name?: string
  /** The first missing setting, if the problem is a missing setting. */
  readonly lacking?: string
}

/** Returns a member of unvalidated data. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

/** Returns unvalidated data as names with values; undefined if it is not an object. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  return value as Record<string, unknown>
}

/** Returns the names and values of unvalidated data. */
export function entries(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : []
}

/** Returns the number in unvalidated data, in any notation. */
export function numberIn(value: unknown): number | undefined {
  if (value instanceof YamlNumber) return Number(value.source)
  return typeof value === "string" && value.trim() !== "" ? Number(value) : undefined
}
