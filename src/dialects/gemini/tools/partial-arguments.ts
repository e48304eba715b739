import { checkEntries, GrowingMembers } from "../../../canon/response-limits.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"

/** Matches a step of a path such as `$.recipe.steps[0]['a b']` (RFC 9535). */
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/gy

/** Maximum depth of arguments, which is also the maximum depth of a caller's body. */
const MAX_STEPS = 64

type Container = JsonObject | JsonValue[]

/** Counts the members and elements that streamed arguments of a response have added. */
export class ArgumentSize {
  readonly members = new GrowingMembers()
  #elements = 0

  /** @throws GatewayError `upstream_error` for too many elements. */
  addElement(): void {
    checkEntries("steps of arguments", ++this.#elements)
  }
}

/**
 * Adds chunks of streamed arguments at their paths (`PartialArg` of @google/genai; Vertex only). Strings arrive in
 * consecutive chunks, and other values arrive as a whole. A chunk with an invalid path is left out.
 */
export class PartialArguments {
  readonly whole: JsonObject
  readonly #size: ArgumentSize

  constructor(whole: JsonObject, size = new ArgumentSize()) {
    this.whole = whole
    this.#size = size
  }

  /** Adds the chunks of one frame. @throws GatewayError `upstream_error` for more elements than a response can have. */
  add(chunks: readonly JsonValue[]): void {
    let count = 0
    for (const chunk of chunks) {
      if (!isJsonObject(chunk) || typeof chunk.jsonPath !== "string") continue
      const steps = stepsOf(chunk.jsonPath)
      const value = valueOf(chunk)
      count += 1 + (steps?.length ?? 0)
      checkEntries("steps of arguments", count)
      if (steps !== undefined && value !== undefined) this.#place(steps, value)
    }
  }

  #place(steps: readonly (string | number)[], value: JsonValue): void {
    let container: Container = this.whole
    for (const [index, step] of steps.entries()) {
      const next = steps[index + 1]
      const present = memberOf(container, step)
      if (next === undefined) {
        const isMore = typeof present === "string" && typeof value === "string"
        this.#set(container, step, isMore ? present + value : value)
        return
      }
      if (typeof present === "object" && present !== null) container = present
      else {
        const fresh: Container = typeof next === "number" ? [] : {}
        if (!this.#set(container, step, fresh)) return
        container = fresh
      }
    }
  }

  /**
   * Sets a member or an element. A list grows by one element at a time, because a large index would allocate a list of
   * that length.
   */
  #set(container: Container, step: string | number, value: JsonValue): boolean {
    if (!Array.isArray(container)) this.#size.members.set(container, String(step), value)
    else if (typeof step === "number" && step <= container.length) {
      if (step === container.length) this.#size.addElement()
      container[step] = value
    } else return false
    return true
  }
}

function valueOf(chunk: JsonObject): JsonValue | undefined {
  if (chunk.nullValue !== undefined) return null
  return chunk.stringValue ?? chunk.numberValue ?? chunk.boolValue
}

/** Returns the names and positions of a path; undefined if the path is invalid or too deep. */
function stepsOf(path: string): (string | number)[] | undefined {
  const steps: (string | number)[] = []
  let length = 1
  for (const [step, plain, position, single, double] of path.slice(1).matchAll(STEP)) {
    const name = plain ?? (single ?? double)?.replaceAll(/\\(.)/g, "$1")
    // A member with this name would become the prototype of the object.
    if (name === "__proto__" || steps.length === MAX_STEPS) return undefined
    steps.push(name ?? Number(position))
    length += step.length
  }
  const isWhole = path.startsWith("$") && length === path.length
  return isWhole && steps.length > 0 ? steps : undefined
}

function memberOf(container: Container, step: string | number): JsonValue | undefined {
  if (Array.isArray(container)) return typeof step === "number" ? container[step] : undefined
  return container[step]
}
