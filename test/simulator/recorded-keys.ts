import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The folder of recordings, which is next to the repository. */
export const FOLDER = join(import.meta.dir, "../../../shared/fixtures/recorded")

export const HAS_FIXTURES = existsSync(FOLDER)

/** A suffix for test names, so that a run without the recordings is noticed. */
export const WITHOUT_FIXTURES = HAS_FIXTURES ? "" : " (skipped: recordings are absent)"

/** One recorded call of a vendor. */
export interface RecordedCall {
  readonly request: {
    readonly url: string
    readonly body: { readonly json?: Record<string, unknown> } | null
  }
  readonly response: {
    readonly status: number
    readonly headers: Record<string, string>
    readonly body: {
      readonly json?: Record<string, unknown>
      readonly text?: string
      readonly base64?: string
    }
  }
}

/** Reads a recording such as `openai-responses/test-native-output--1`. */
export function recorded(name: string): RecordedCall {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")) as RecordedCall
}

/** Returns the sorted dotted paths of all keys. Entries of arrays are merged. */
export function keySet(value: unknown): string[] {
  return [...new Set(keysOf(value, ""))].toSorted()
}

function keysOf(value: unknown, prefix: string): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => keysOf(entry, `${prefix}[]`))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    `${prefix}.${key}`,
    ...keysOf(inner, `${prefix}.${key}`),
  ])
}
