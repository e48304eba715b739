import { ownFields } from "../../../canon/extra.ts"
import { invalidValue } from "../../../canon/invalid-request.ts"
import { isJsonObject, type JsonObject, textAt } from "../../../canon/json.ts"
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../../canon/message.ts"
import { DIALECT } from "../identifiers.ts"
import { isStandIn } from "./item-types.ts"

/**
 * Checks that every call is followed by its output, and that every output is preceded by its call, as OpenAI requires.
 * References to stored items cannot be checked here, so the vendor checks them.
 * @throws GatewayError with OpenAI's message.
 */
export function checkCalls(messages: readonly Message[]): void {
  if (messages.some(({ parts }) => parts.some(standsForOthers))) return
  const open = new Map<string, string>()
  const called = new Set<string>()
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-call") {
        open.set(part.id, wordOf(part))
        called.add(part.id)
      } else if (part.type === "tool-result") {
        if (!called.has(part.id)) throw outputWithoutCall(part)
        open.delete(part.id)
      } else for (const id of otherCalls(part)) called.add(id)
    }
  }
  for (const [id, word] of open) {
    throw invalidValue("input", `No tool output found for ${word} ${id}.`)
  }
}

function wordOf({ origin }: ToolCallPart | ToolResultPart): string {
  return origin?.form === "text" ? "custom tool call" : "function call"
}

function outputWithoutCall(part: ToolResultPart): Error {
  const output = `${wordOf(part)} output with call_id ${part.id}`
  return invalidValue("input", `No tool call found for ${output}.`)
}

/** Returns the ids of calls to tools other than functions. Some of these calls also have outputs. */
function otherCalls(part: Part): string[] {
  return keptItems(part)
    .map((item) => textAt(item, "call_id"))
    .filter((id) => id !== undefined)
}

function standsForOthers(part: Part): boolean {
  return keptItems(part).some(({ type }) => isStandIn(type))
}

function keptItems(part: Part): JsonObject[] {
  if (part.type !== "unknown") return []
  return Object.values(ownFields(DIALECT, part.extra) ?? {}).filter(isJsonObject)
}
