import type { ChatRequest } from "../../canon/chat.ts"
import type { JsonValue } from "../../canon/json.ts"
import { type Finish, otherFinish } from "../shared/finish.ts"

/** Cohere's finish reason for a response that failed internally. */
export const FAILED = "ERROR"

/**
 * Decodes the reason why a response ended (docs/contribute/wire/cohere-chat.md#f3). Cohere does not name the stop
 * sequence. If the request has only one, that sequence is assumed.
 */
export function decodeFinish(
  word: JsonValue | undefined,
  hasToolCalls: boolean,
  request: ChatRequest | undefined,
): Finish {
  switch (word) {
    case "COMPLETE":
      return hasToolCalls ? { reason: "tool-calls", raw: word } : { reason: "stop" }
    case "STOP_SEQUENCE": {
      const stop = request?.stop ?? []
      const [only] = stop
      return only === undefined || stop.length > 1
        ? { reason: "stop", raw: word }
        : { reason: "stop", raw: word, stopSequence: only }
    }
    case "MAX_TOKENS":
      return { reason: "length" }
    case "TOOL_CALL":
      return hasToolCalls ? { reason: "tool-calls" } : { reason: "stop", raw: word }
    default:
      return otherFinish(typeof word === "string" ? word : undefined)
  }
}
