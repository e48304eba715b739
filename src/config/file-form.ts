import { DECLARED_SETTINGS, DECLARATIONS, type DeclaredSetting } from "./declared-settings.ts"
import { describeSettings } from "./describe.ts"
import { writeDuration } from "./duration.ts"
import { valueAt } from "./places.ts"
import type { Reader } from "./reading.ts"
import { writeMegabytes, writeMinutes } from "./scalars.ts"
import type { Settings } from "./settings.ts"
import { snakeCase } from "./shapes.ts"

/** Ways to write a number in the file. */
const WRITERS = [writeDuration, writeMegabytes, writeMinutes]

/**
 * Returns the settings without secrets, with the names and units of `tollgate.yaml`. Settings without a value are
 * omitted.
 */
export function settingsInFileForm(settings: Settings): Record<string, unknown> {
  const described = describeSettings(settings)
  const form: Record<string, unknown> = {}
  for (const setting of DECLARED_SETTINGS) {
    const value = valueAt(described, setting.at)
    // Null stands for settings without a value.
    if (value !== undefined && value !== null)
      place(form, setting.name.split("."), written(setting, value))
  }
  for (const [member, value] of Object.entries(described)) {
    if (!(member in DECLARATIONS) && value !== undefined) {
      form[snakeCase(member)] = renamedEntries(value)
    }
  }
  return form
}

function place(
  form: Record<string, unknown>,
  [name = "", ...rest]: string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    form[name] = value
    return
  }
  const inner = (form[name] ??= {})
  if (typeof inner === "object" && inner !== null)
    place(inner as Record<string, unknown>, rest, value)
}

/**
 * Returns a value in the format of the file. A number is written with a unit that results in the same number when it is
 * read.
 */
function written({ reader }: DeclaredSetting, value: unknown): unknown {
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return value.map(renamed)
  if (typeof value !== "number" || reads(reader, String(value), value)) return value
  const text = WRITERS.map((write) => write(value)).find((each) => reads(reader, each, value))
  if (text === undefined) return value
  return Number.isFinite(Number(text)) ? Number(text) : text
}

function reads(reader: Reader<unknown>, text: string, value: number): boolean {
  return reader.read(text) === value
}

/** Renames the members of the entries of a table as in the file. */
function renamedEntries(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([id, entry]) => [id, renamed(entry)] as const),
  )
}

function renamed(entry: unknown): unknown {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entry
  return Object.fromEntries(
    Object.entries(entry)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [snakeCase(name), value] as const),
  )
}
