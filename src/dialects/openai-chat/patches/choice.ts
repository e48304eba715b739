import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import { choiceNumber } from "../../../canon/quantity.ts"
import { StreamedChoices } from "../../shared/choices.ts"
import { ownFinish } from "../finish.ts"
import { CallIndexes } from "./repair.ts"

interface Progress {
  readonly calls: CallIndexes
  hasCalls: boolean
  isFinished: boolean
}

/**
 * Completes the choices of a verbatim stream. It adds an index, a role at the start, and a finish reason that callers
 * know, if the vendor omits them.
 */
export class ChoicePatcher {
  readonly #progress = new Map<number, Progress>()
  readonly #numbers: StreamedChoices

  /** @param asked the number of requested choices. */
  constructor(asked: number | undefined) {
    this.#numbers = new StreamedChoices(asked)
  }

  /**
   * Completes the choices of a chunk.
   * @returns undefined if no choice needs a patch.
   */
  patch(choices: readonly JsonValue[]): JsonValue[] | undefined {
    let patched: (JsonValue | undefined)[] | undefined
    for (let position = 0; position < choices.length; position++) {
      const choice = choices[position]
      const fixed = this.#patch(isJsonObject(choice) ? choice : {}, position)
      if (fixed === choice) continue
      patched ??= [...choices]
      patched[position] = fixed
    }
    return patched?.filter((choice) => choice !== undefined)
  }

  /** Returns the final chunks of choices that the vendor did not finish. */
  unfinished(): JsonObject[] {
    const ends: JsonObject[] = []
    for (const [index, { hasCalls, isFinished }] of this.#progress) {
      if (isFinished) continue
      ends.push({ index, delta: {}, finish_reason: ownFinish(undefined, hasCalls) })
    }
    return ends
  }

  /**
   * Completes a choice of a chunk.
   * @returns undefined for a choice that the caller did not request.
   */
  #patch(received: JsonObject, position: number): JsonObject | undefined {
    const choice = withDelta(received)
    const index = this.#numbers.numberOf(choiceNumber(choice.index, position))
    if (index === undefined) return undefined
    const given = isJsonObject(choice.delta) ? choice.delta : {}
    let progress = this.#progress.get(index)
    const isFirst = progress === undefined
    if (progress === undefined) {
      progress = { calls: new CallIndexes(), hasCalls: false, isFinished: false }
      this.#progress.set(index, progress)
    }
    let delta = progress.calls.repair(given)
    if (isFirst && delta.role !== "assistant") delta = { ...delta, role: "assistant" }
    if (Array.isArray(delta.tool_calls) && delta.tool_calls.length > 0) progress.hasCalls = true
    const { finish_reason: word } = choice
    let finish = word
    if (typeof word === "string") {
      finish = word === "" ? null : ownFinish(word, progress.hasCalls)
      if (word !== "") progress.isFinished = true
    } else if (word !== undefined) finish = null
    if (delta === choice.delta && finish === word && index === choice.index) return choice
    return finish === undefined
      ? { ...choice, index, delta }
      : { ...choice, index, delta, finish_reason: finish }
  }
}

/** Moves a whole message into `delta`, because some servers send the whole message in a stream. */
function withDelta(choice: JsonObject): JsonObject {
  if (isJsonObject(choice.delta) || !isJsonObject(choice.message)) return choice
  const { message, ...rest } = choice
  return { ...rest, delta: message }
}
