import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import { mintCallId } from "../../shared/identifiers.ts"
import { checkToolCalls } from "../../shared/choices.ts"
import { flattenContent } from "../result/content.ts"

/**
 * Repairs forms of some vendors that official clients of this dialect cannot read. The content may be a list (Mistral's
 * thinking) or an object. Tool calls may lack `index` or `type`, or have an object as arguments
 * (docs/contribute/wire/openai-chat.md#f20).
 * @returns the same message or delta if there is nothing to repair.
 */
export function repairMessage(message: JsonObject): JsonObject {
  const { content } = message
  const isText = typeof content !== "object" || content === null
  const repaired = isText ? message : flattenContent(message)
  const { tool_calls: calls } = message
  if (!Array.isArray(calls)) return repaired
  const own = calls.map(repairCall)
  const isSame = own.every((call, index) => call === calls[index])
  return isSame ? repaired : { ...repaired, tool_calls: own }
}

/** Repairs a whole message, whose calls must also have ids. */
export function repairWholeMessage(message: JsonObject): JsonObject {
  const repaired = repairMessage(message)
  const { tool_calls: calls } = repaired
  if (!Array.isArray(calls) || !calls.some(lacksId)) return repaired
  const identified = calls.map((call) =>
    isJsonObject(call) && lacksId(call) ? { type: "function", ...call, id: mintCallId() } : call,
  )
  return { ...repaired, tool_calls: identified }
}

function lacksId(call: JsonValue): boolean {
  return isJsonObject(call) && (typeof call.id !== "string" || call.id === "")
}

/** Returns a call whose arguments are text, as OpenAI's clients require. */
function repairCall(call: JsonValue): JsonValue {
  if (!isJsonObject(call)) return call
  const { function: called } = call
  const typed = withType(call)
  if (!isJsonObject(called) || !isJsonObject(called.arguments)) return typed
  return { ...typed, function: { ...called, arguments: JSON.stringify(called.arguments) } }
}

/**
 * Assigns the indexes of the calls in one choice of a stream. Some vendors leave the indexes out, or give all calls the
 * same one. Official clients join calls with the same index into one call.
 */
export class CallIndexes {
  /** The ids of the calls in their order; undefined for a call without an id. */
  readonly #ids: (string | undefined)[] = []
  /** The indexes of the calls that have a name. */
  readonly #named = new Set<number>()
  /** The index of the last call for each index that the vendor gave. */
  readonly #byGiven = new Map<number, number>()

  /**
   * Repairs the calls of a delta.
   * @returns the same delta if there is nothing to repair.
   */
  repair(delta: JsonObject): JsonObject {
    const repaired = repairMessage(delta)
    const { tool_calls: calls } = repaired
    if (!Array.isArray(calls)) return repaired
    let isChanged = false
    const indexed = calls.map((call) => {
      if (!isJsonObject(call)) return call
      const index = this.#indexOf(call)
      if (index === call.index) return call
      isChanged = true
      return { ...call, index }
    })
    return isChanged ? { ...repaired, tool_calls: indexed } : repaired
  }

  #indexOf(call: JsonObject): number {
    const id = typeof call.id === "string" && call.id !== "" ? call.id : undefined
    const given = typeof call.index === "number" ? call.index : undefined
    const found = this.#find(id, given)
    // A second name without an id starts another call.
    const isNamed = isJsonObject(call.function) && Boolean(call.function.name)
    const isAnother = found !== undefined && id === undefined && isNamed && this.#named.has(found)
    const known = isAnother ? undefined : found
    if (known !== undefined) {
      if (isNamed) this.#named.add(known)
      if (given !== undefined) this.#byGiven.set(given, known)
      return known
    }
    const index = this.#ids.length
    checkToolCalls(index + 1)
    this.#ids[index] = id
    if (isNamed) this.#named.add(index)
    if (given !== undefined) this.#byGiven.set(given, index)
    return index
  }

  /**
   * Returns the index of a call that has started: by its id, otherwise by the vendor's index, otherwise the last call.
   */
  #find(id: string | undefined, given: number | undefined): number | undefined {
    if (id !== undefined) {
      const known = this.#ids.indexOf(id)
      if (known !== -1) return known
    }
    const last = this.#ids.length === 0 ? undefined : this.#ids.length - 1
    const found = given === undefined ? last : this.#byGiven.get(given)
    // A different id starts another call.
    if (found === undefined || id === undefined) return found
    return this.#ids[found] === undefined ? found : undefined
  }
}

/**
 * Adds the type to the first delta of a call, which is the only delta with an id
 * (docs/contribute/wire/openai-chat.md#f6).
 */
function withType(call: JsonObject): JsonObject {
  const lacksType = typeof call.id === "string" && call.type === undefined
  return lacksType ? { ...call, type: "function" } : call
}
