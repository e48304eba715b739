import type { z } from "zod"
import type { Finding } from "./finding.ts"
import { suggestion } from "./nearest.ts"
import { UNRESOLVED, isPrintableName } from "./yaml-file.ts"

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
    return [{ path, message }]
  })
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
