import { isJsonObject, type JsonObject, objectAt, textAt } from "../../../canon/json.ts"
import { prefixedId } from "../../shared/identifiers.ts"
import { ownFinish } from "../finish.ts"
import { ID_PREFIX } from "../identifiers.ts"
import { removeOperatorData, withoutCost } from "../../shared/vendor-costs.ts"
import { withCounts } from "../usage.ts"

/**
 * Adds, in place, the members that the specification guarantees in a whole message. For a complete message, it only
 * checks a few members.
 */
export function completeMessage(message: JsonObject): void {
  removeOperatorData(message)
  completeHead(message)
  const content = Array.isArray(message.content) ? message.content : []
  message.stop_reason = ownFinish(
    textAt(message, "stop_reason"),
    content.some((block) => isJsonObject(block) && block.type === "tool_use"),
  )
  message.stop_sequence ??= null
  const usage = objectAt(message, "usage")
  if (usage !== undefined) message.usage = withCounts({ ...NO_COUNTS, ...usage })
}

/** Completes the message at the start of a stream, which is still empty. */
export function completeStart(message: JsonObject): void {
  completeHead(message)
  message.content ??= []
  message.stop_reason ??= null
  message.stop_sequence ??= null
  // Official clients write the final counts into these members.
  message.usage = withCounts({ ...NO_COUNTS, ...withoutCost(objectAt(message, "usage") ?? {}) })
}

const NO_COUNTS = { input_tokens: 0, output_tokens: 0 }

function completeHead(message: JsonObject): void {
  message.id = prefixedId(ID_PREFIX, textAt(message, "id"))
  message.type = "message"
  message.role = "assistant"
}
