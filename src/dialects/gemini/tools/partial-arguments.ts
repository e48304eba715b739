import { checkEntries } from "../../../canon/answer-limits.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"

/** A step of a path such as `$.recipe.steps[0]['a b']` (RFC 9535). */
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/gy

/** Maximum depth of arguments, as of any JSON that the gateway reads. */
const MAX_STEPS = 64

type Container = JsonObject | JsonValue[]

/**
 * Puts chunks of streamed arguments in their place (`PartialArg` of @google/genai; Vertex only). Strings arrive
 * in consecutive chunks; anything else arrives whole. A chunk with an invalid path is left out.
 */
export function addPartialArguments(whole: JsonObject, chunks: readonly JsonValue[]): void {
  let count = 0
  for (const chunk of chunks) {
    if (!isJsonObject(chunk) || typeof chunk.jsonPath !== "string") continue
    const steps = stepsOf(chunk.jsonPath)
    const value = valueOf(chunk)
    count += 1 + (steps?.length ?? 0)
    checkEntries("steps of arguments", count)
    if (steps !== undefined && value !== undefined) place(whole, steps, value)
  }
}

function valueOf(chunk: JsonObject): JsonValue | undefined {
  if (chunk.nullValue !== undefined) return null
  return chunk.stringValue ?? chunk.numberValue ?? chunk.boolValue
}

/** Names and positions, or undefined when the path is invalid or too deep. */
function stepsOf(path: string): (string | number)[] | undefined {
  const steps: (string | number)[] = []
  let length = 1
  for (const [step, plain, position, single, double] of path.slice(1).matchAll(STEP)) {
    const name = plain ?? (single ?? double)?.replaceAll(/\\(.)/g, "$1")
    // A member of this name would become the prototype of the object.
    if (name === "__proto__" || steps.length === MAX_STEPS) return undefined
    steps.push(name ?? Number(position))
    length += step.length
  }
  const isWhole = path.startsWith("$") && length === path.length
  return isWhole && steps.length > 0 ? steps : undefined
}

function place(whole: JsonObject, steps: readonly (string | number)[], value: JsonValue): void {
  let container: Container = whole
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1]
    const present = memberOf(container, step)
    if (next === undefined) {
      const isMore = typeof present === "string" && typeof value === "string"
      setMember(container, step, isMore ? present + value : value)
      return
    }
    if (typeof present === "object" && present !== null) container = present
    else {
      const fresh: Container = typeof next === "number" ? [] : {}
      if (!setMember(container, step, fresh)) return
      container = fresh
    }
  }
}

function memberOf(container: Container, step: string | number): JsonValue | undefined {
  if (Array.isArray(container)) return typeof step === "number" ? container[step] : undefined
  return container[step]
}

/** Lists grow one by one: a large index would allocate a list of that length. */
function setMember(container: Container, step: string | number, value: JsonValue): boolean {
  if (!Array.isArray(container)) container[step] = value
  else if (typeof step === "number" && step <= container.length) container[step] = value
  else return false
  return true
}
