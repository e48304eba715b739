import { GatewayError } from "../../src/canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"

/** The names and indexes that lead to a member. */
export type Path = readonly string[]

/** Yields the paths of all texts, lists and objects in a sample. Of the elements of a list, only the first is used. */
export function* pathsIn(value: JsonValue | undefined, path: Path = []): Generator<Path> {
  if (path.length > 0 && (typeof value === "string" || typeof value === "object")) yield [...path]
  if (Array.isArray(value)) yield* pathsIn(value[0], [...path, "0"])
  else if (isJsonObject(value)) {
    for (const name in value) if (name !== "type") yield* pathsIn(value[name], [...path, name])
  }
}

/** Returns a copy of a sample in which `change` has replaced one member. */
export function changed(
  sample: JsonObject,
  path: Path,
  change: (value: JsonValue) => JsonValue,
): JsonObject {
  const copy = structuredClone(sample)
  let parent: JsonValue = copy
  for (const step of path.slice(0, -1)) parent = memberAt(parent, [step])
  const last = path.at(-1) ?? ""
  ;(parent as JsonObject)[last] = change(memberAt(parent, [last]))
  return copy
}

/** Returns the member at a path; null if it is missing. */
export function memberAt(value: JsonValue, path: Path): JsonValue {
  return path.reduce((parent: JsonValue, step) => (parent as JsonObject)[step] ?? null, value)
}

/** Whether a step throws an error that is intended for the caller. Other errors are thrown. */
export function isRejected(step: () => void): boolean {
  try {
    step()
    return false
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return true
  }
}
