import {
  arrayOf,
  entryOf,
  isObject,
  objectOf,
  stringOf,
  type Json,
  type JsonObject,
} from "../json.ts"
import { invalid, invalidRequest, unknownField, type VendorError } from "./errors.ts"

// The fields of messages by role, and the types of their content (npm cohere-ai `ChatMessageV2`).
const FIELDS: Record<string, readonly string[]> = {
  system: ["role", "content"],
  user: ["role", "content"],
  assistant: ["role", "content", "tool_plan", "tool_calls", "citations"],
  tool: ["role", "content", "tool_call_id"],
}
const CONTENT: Record<string, readonly string[]> = {
  system: ["text"],
  user: ["text", "image_url"],
  assistant: ["text", "thinking"],
  tool: ["text", "document"],
}

/** Returns Cohere's error for the messages; undefined if the messages are valid. */
export function checkMessages(messages: readonly Json[]): VendorError | undefined {
  if (messages.length === 0) {
    return invalidRequest(
      "message must be at least 1 token long or tool results must be specified.",
    )
  }
  for (const [index, message] of messages.entries()) {
    const error = checkMessage(objectOf(message), index)
    if (error !== undefined) return error
  }
  return checkCalls(messages.map((message) => objectOf(message)))
}

function checkMessage(message: JsonObject, index: number): VendorError | undefined {
  const role = stringOf(message.role)
  const fields = entryOf(FIELDS, role)
  if (fields === undefined) {
    return invalidRequest(
      `Invalid role in messages at index ${index}. Role must be one of the following: user, assistant, system, tool`,
    )
  }
  const unknown = Object.keys(message).find((name) => !fields.includes(name))
  if (unknown !== undefined) return unknownField(unknown)
  if (role === "system" && index > 0) return invalid("system turn must be the first in the list")
  const { content } = message
  const isSilent = content === undefined || content === null || content === ""
  if (isSilent && role === "user") return invalid("message must not be empty in a turn")
  return checkContent(arrayOf(content), role, index)
}

function checkContent(
  content: readonly Json[],
  role: string,
  index: number,
): VendorError | undefined {
  for (const part of content) {
    const { type } = objectOf(part)
    const isKnown = CONTENT[role]?.includes(stringOf(type)) ?? false
    if (isKnown && objectOf(part)[stringOf(type)] !== undefined) continue
    return invalidRequest(
      `content of type '${stringOf(type)}' is not valid in messages[${index}] of role ${role}`,
    )
  }
  return undefined
}

/** Checks that each call is followed directly by its result, and that there are no other results. */
function checkCalls(messages: readonly JsonObject[]): VendorError | undefined {
  let open = new Set<string>()
  for (const message of messages) {
    if (message.role === "tool") {
      const error = checkResponse(message, open)
      if (error !== undefined) return error
      continue
    }
    if (open.size > 0) return unanswered(open)
    open = new Set()
    for (const call of arrayOf(message.tool_calls)) {
      const { id, type, function: called } = objectOf(call)
      if (type !== "function" || !isObject(called)) {
        return invalid("tool call must be of type function")
      }
      if (open.has(stringOf(id))) return invalid("cannot have duplicate tool ids")
      open.add(stringOf(id))
    }
  }
  return open.size > 0 ? unanswered(open) : undefined
}

function checkResponse(message: JsonObject, open: Set<string>): VendorError | undefined {
  const id = stringOf(message.tool_call_id)
  if (id === "") return invalid("tool call id must be provided with tool message")
  return open.delete(id) ? undefined : invalid("tool call id not found in previous tool calls")
}

function unanswered(open: ReadonlySet<string>): VendorError {
  return invalidRequest(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
      "'tool_call_id'. The following tool_call_ids did not have response messages: " +
      [...open].join(", "),
  )
}
