import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import { mintId, prefixedId } from "../../shared/identifiers.ts"
import { choiceNumber } from "../../../canon/quantity.ts"
import { totalInput, totalOutput } from "../../../canon/usage.ts"
import { decodeFinish, encodeFinish } from "../finish.ts"
import { repairMessage } from "./repair.ts"
import { decodeUsage } from "../usage.ts"
import { ID_PREFIX } from "../identifiers.ts"
import { nowInSeconds } from "../../shared/time.ts"

/** The words of OpenAI's own for why a choice ended; the two for tools go beyond the specification. */
const OWN_WORDS: ReadonlySet<JsonValue | undefined> = new Set([
  "stop",
  "length",
  "content_filter",
  "tool_calls",
  "function_call",
])

/**
 * Puts into a vendor's whole answer, in place, what the specification says is always there. A good
 * answer costs a look at a few members.
 */
export function completeResult(body: JsonObject): void {
  body.id = ownId(body.id) ?? mintId(ID_PREFIX)
  body.object = "chat.completion"
  if (!isTime(body.created)) body.created = nowInSeconds()
  if (isJsonObject(body.usage)) body.usage = withTotal(body.usage)
  if (!Array.isArray(body.choices)) return
  for (let position = 0; position < body.choices.length; position++) {
    const told = body.choices[position]
    const choice = isJsonObject(told) ? told : {}
    completeChoice(choice, position)
    body.choices[position] = choice
  }
}

/** A vendor's id under the prefix of this dialect; undefined when the vendor gave none. */
export function ownId(id: JsonValue | undefined): string | undefined {
  return typeof id === "string" && id !== "" ? prefixedId(ID_PREFIX, id) : undefined
}

/** Whether a value is a moment as this dialect tells it: whole seconds. */
export function isTime(created: JsonValue | undefined): created is number {
  return Number.isInteger(created)
}

/**
 * Why a choice ended, in a word that callers of this dialect know.
 * @param word the vendor's, which may be of another dialect or missing.
 */
export function ownFinish(word: JsonValue | undefined, hasCalls: boolean): JsonValue {
  if (typeof word === "string" && OWN_WORDS.has(word)) return word
  if (typeof word !== "string" || word === "") return hasCalls ? "tool_calls" : "stop"
  return encodeFinish(decodeFinish(word, hasCalls).reason)
}

/** Usage with its sum, where the vendor tells only its parts. @returns the very usage that has all. */
export function withTotal(usage: JsonObject): JsonObject {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage
  if (typeof prompt === "number" && typeof completion === "number" && typeof total === "number") {
    return usage
  }
  const counted = decodeUsage(usage)
  if (counted === undefined) return usage
  const input = typeof prompt === "number" ? prompt : totalInput(counted)
  const output = typeof completion === "number" ? completion : totalOutput(counted)
  const sum = typeof total === "number" ? total : input + output
  return { ...usage, prompt_tokens: input, completion_tokens: output, total_tokens: sum }
}

function completeChoice(choice: JsonObject, position: number): void {
  choice.index = choiceNumber(choice.index, position)
  const message = isJsonObject(choice.message) ? repairMessage(choice.message) : {}
  message.role = "assistant"
  const hasCalls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0
  if (typeof message.content !== "string") {
    // Null is for a model that acted, or refused, instead of speaking.
    const acted = hasCalls || isJsonObject(message.function_call)
    message.content = acted || typeof message.refusal === "string" ? null : ""
  }
  choice.message = message
  if (!OWN_WORDS.has(choice.finish_reason)) {
    choice.finish_reason = ownFinish(choice.finish_reason, hasCalls)
  }
}
