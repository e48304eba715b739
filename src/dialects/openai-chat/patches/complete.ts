import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import { choiceNumber } from "../../../canon/quantity.ts"
import { mintId } from "../../shared/identifiers.ts"
import { nowInSeconds } from "../../shared/time.ts"
import { ownFinish } from "../finish.ts"
import { ID_PREFIX, ownId } from "../identifiers.ts"
import { legacyCallIn } from "../result/calls.ts"
import { repairMessage } from "./repair.ts"
import { withTotal } from "../usage.ts"

/**
 * Adds, in place, what the specification guarantees in a whole answer. For a valid answer it only checks a few
 * members.
 */
export function completeResult(body: JsonObject): void {
  body.id = ownId(body.id) ?? mintId(ID_PREFIX)
  body.object = "chat.completion"
  if (!isTime(body.created)) body.created = nowInSeconds()
  if (isJsonObject(body.usage)) body.usage = withTotal(body.usage)
  if (!Array.isArray(body.choices)) return
  for (let position = 0; position < body.choices.length; position++) {
    const given = body.choices[position]
    const choice = isJsonObject(given) ? given : {}
    completeChoice(choice, position)
    body.choices[position] = choice
  }
}

/** Whether a value is a time in this dialect: whole seconds. */
export function isTime(created: JsonValue | undefined): created is number {
  return Number.isInteger(created)
}

function completeChoice(choice: JsonObject, position: number): void {
  choice.index = choiceNumber(choice.index, position)
  const message = isJsonObject(choice.message) ? repairMessage(choice.message) : {}
  message.role = "assistant"
  const hasCalls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0
  if (typeof message.content !== "string") {
    // Null is for a model that acted, or refused, rather than spoke.
    const acted = hasCalls || legacyCallIn(message.function_call) !== undefined
    message.content = acted || typeof message.refusal === "string" ? null : ""
  }
  choice.message = message
  choice.finish_reason = ownFinish(choice.finish_reason, hasCalls)
}
