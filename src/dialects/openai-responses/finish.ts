import type { FinishReason } from "../../canon/chat.ts"
import { type JsonObject, objectAt, textAt } from "../../canon/json.ts"
import { type Finish, otherFinish } from "../shared/finish.ts"

/**
 * Returns the reason why a response ended (docs/contribute/wire/openai-responses.md#f4 and
 * docs/contribute/wire/README.md#f5). Calls are items of the output and have no separate reason.
 */
export function decodeFinish(response: JsonObject, hasCalls: boolean): Finish {
  const status = textAt(response, "status") ?? "completed"
  if (status === "completed") return { reason: hasCalls ? "tool-calls" : "stop" }
  if (status !== "incomplete") return otherFinish(status)
  const details = objectAt(response, "incomplete_details")
  const cause = details === undefined ? undefined : textAt(details, "reason")
  switch (cause) {
    case "max_output_tokens":
      return { reason: "length" }
    case "content_filter":
      return { reason: "content-filter" }
    default:
      return otherFinish(cause ?? status)
  }
}

/** The members of a response that report how it ended. */
export interface Ending {
  readonly status: "completed" | "incomplete" | "failed"
  readonly incomplete: JsonObject | null
}

/** Encodes the finish reason. This dialect has only two reasons for an incomplete response. */
export function encodeFinish(reason: FinishReason): Ending {
  switch (reason) {
    case "length":
      return { status: "incomplete", incomplete: { reason: "max_output_tokens" } }
    case "content-filter":
      return { status: "incomplete", incomplete: { reason: "content_filter" } }
    case "stop":
    case "tool-calls":
    case "other":
      return { status: "completed", incomplete: null }
  }
}
