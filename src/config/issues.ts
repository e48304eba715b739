import type { z } from "zod"
import type { Finding } from "./finding.ts"
import { suggestion } from "./nearest.ts"
import { NO_VALUE, NOT_TEXT } from "./reading.ts"
import { isPrintableName } from "./yaml-file.ts"
import { UNRESOLVED, YamlNumber } from "./yaml-value.ts"

/** A finding that may concern a name instead of a value. */
export interface IssueFinding extends Finding {
  /** The invalid name below `path`. */
  readonly name?: string
}

/** Converts the issues of a schema to messages. */
export function issueFindings(
  data: unknown,
  issues: readonly z.core.$ZodIssue[],
): readonly IssueFinding[] {
  return issues.flatMap((issue): IssueFinding[] => {
    const { path, message } = issue
    const value = valueAt(data, path)
    if (value === UNRESOLVED) return []
    if (issue.code === "unrecognized_keys") {
      // The schema puts the known names into its message.
      const known = message.split(" ")
      return issue.keys.map((name) => ({
        path,
        message: unknownName(name, known, asObject(value)?.[name]),
        name,
      }))
    }
    if (issue.code === "invalid_key") {
      const reason = issue.issues[0]?.message ?? "this name is not valid"
      return [{ path: path.slice(0, -1), message: reason, name: String(path.at(-1)) }]
    }
    return [{ path, message: typeMessage(issue, value) ?? message }]
  })
}

/** Kinds of values by the schema library's names. */
const KINDS: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
  object: "a group of settings",
  record: "a group of settings",
  string: "text",
}

/**
 * Returns the message for a value of the wrong kind, instead of the library's own message, which names JavaScript's
 * types. Undefined if the message of the setting fits.
 */
function typeMessage(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  const kind = Array.isArray(value) ? "a list" : asObject(value) && kindOfObject(value)
  // Quotes would turn a list or a group of settings into text that the setting cannot read either.
  if (issue.code === "custom" && issue.message === NOT_TEXT && kind !== undefined)
    return `must be text, but is ${kind}`
  if (issue.code !== "invalid_type" || !issue.message.startsWith("Invalid input")) return undefined
  if (value === undefined) return "is missing"
  if (value === null) return NO_VALUE
  const expected = KINDS[issue.expected]
  if (expected === undefined) return undefined
  if (kind !== undefined) return `must be ${expected}, but is ${kind}`
  return issue.expected === "string" ? NOT_TEXT : `must be ${expected}`
}

function kindOfObject(value: unknown): string | undefined {
  if (value instanceof YamlNumber) return undefined
  return value instanceof Uint8Array ? "binary data" : "a group of settings"
}

function unknownName(name: string, known: readonly string[], value: unknown): string {
  const glued = known.find((knownName) => name.startsWith(`${knownName}:`))
  if (glued !== undefined) return `there must be a space after '${glued}:'`
  const hint = suggestion(name, known)
  // A name without a value may be a secret whose own name is missing, so it is only shown if it resembles a known name.
  const shown = isPrintableName(name) && (value !== null || hint !== "") ? ` '${name}'` : ""
  return `unknown name${shown}.${hint || ` Known here: ${known.join(", ")}`}`
}

/** Returns unvalidated data as names with values; undefined if it is not an object. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  return value as Record<string, unknown>
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value
  for (const step of path) {
    if (Array.isArray(current)) current = current[Number(step)]
    else current = asObject(current)?.[String(step)]
  }
  return current
}
