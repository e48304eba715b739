import { isJsonObject, type JsonObject } from "../../../canon/json.ts"
import { choiceNumbers, requestedChoices } from "../../shared/choices.ts"
import { mintId } from "../../shared/identifiers.ts"
import { isUnixTime, nowInSeconds } from "../../shared/time.ts"
import { ownFinish } from "../finish.ts"
import { ID_PREFIX, ownId } from "../identifiers.ts"
import { legacyCallIn } from "../result/calls.ts"
import { repairWholeMessage } from "./repair.ts"
import { withTotal } from "../usage.ts"

/**
 * Adds, in place, the members that the specification guarantees in a whole answer. For a complete answer, it only
 * checks a few members.
 * @param asked the number of requested choices.
 */
export function completeResult(body: JsonObject, asked: number | undefined): void {
  body.id = ownId(body.id) ?? mintId(ID_PREFIX)
  body.object = "chat.completion"
  if (!isUnixTime(body.created)) body.created = nowInSeconds()
  if (isJsonObject(body.usage)) body.usage = withTotal(body.usage)
  if (!Array.isArray(body.choices)) return
  const requested = requestedChoices(body.choices, asked)
  const indexes = choiceNumbers(requested)
  const choices: (JsonObject & { index: number })[] = []
  for (let position = 0; position < requested.length; position++) {
    const given = requested[position]
    const choice = isJsonObject(given) ? given : {}
    choices.push(completeChoice(choice, indexes[position] ?? position))
  }
  if (choices.length > 1) choices.sort((left, right) => left.index - right.index)
  body.choices = choices
}

function completeChoice(choice: JsonObject, index: number): JsonObject & { index: number } {
  const message = isJsonObject(choice.message) ? repairWholeMessage(choice.message) : {}
  message.role = "assistant"
  const hasCalls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0
  if (typeof message.content !== "string") {
    // The content is null only if the model called a tool or refused.
    const acted = hasCalls || legacyCallIn(message.function_call) !== undefined
    message.content = acted || typeof message.refusal === "string" ? null : ""
  }
  choice.message = message
  choice.finish_reason = ownFinish(choice.finish_reason, hasCalls)
  return Object.assign(choice, { index })
}
