import { isJsonObject, type JsonObject, objectAt, textAt } from "../../../canon/json.ts"
import { prefixedId } from "../../shared/identifiers.ts"
import { ownFinish } from "../finish.ts"
import { ID_PREFIX } from "../identifiers.ts"
import { withCounts } from "../usage.ts"

/**
 * Puts into a vendor's whole message, in place, what the specification says is always there. A good
 * message costs a look at a few members.
 */
export function completeMessage(message: JsonObject): void {
  completeHead(message)
  const content = Array.isArray(message.content) ? message.content : []
  message.stop_reason =
    textAt(message, "stop_reason") ??
    ownFinish(content.some((block) => isJsonObject(block) && block.type === "tool_use"))
  message.stop_sequence ??= null
  const usage = objectAt(message, "usage")
  if (usage !== undefined) message.usage = withCounts(usage)
}

/** The message with which a stream begins: nothing of it has come yet. */
export function completeStart(message: JsonObject): void {
  completeHead(message)
  message.content ??= []
  message.stop_reason ??= null
  message.stop_sequence ??= null
  // Official clients write the counts of the end into these.
  message.usage = withCounts({ input_tokens: 0, output_tokens: 0, ...objectAt(message, "usage") })
}

function completeHead(message: JsonObject): void {
  message.id = prefixedId(ID_PREFIX, textAt(message, "id"))
  message.type = "message"
  message.role = "assistant"
}
