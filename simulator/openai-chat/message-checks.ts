import { arrayOf, isObject, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import { invalid, type VendorError } from "./errors.ts"

const ROLES = ["system", "assistant", "user", "function", "tool", "developer"]
const PARTS = ["text", "image_url", "input_audio", "refusal", "audio", "file"]

/** Returns OpenAI's error for the messages, worded as recorded; undefined if the messages are valid. */
export function checkMessages(messages: Json | undefined): VendorError | undefined {
  if (messages === undefined || messages === null) return missing("messages")
  const list = arrayOf(messages)
  if (list.length === 0) {
    const message =
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an " +
      "empty array instead."
    return invalid(message, "messages", "empty_array")
  }
  for (const [index, message] of list.entries()) {
    const error = checkMessage(message, `messages[${index}]`)
    if (error !== undefined) return error
  }
  return checkToolOrder(list.map((message) => objectOf(message)))
}

function missing(name: string): VendorError {
  const message = `Missing required parameter: '${name}'.`
  return invalid(message, name, "missing_required_parameter")
}

function unsupported(value: string, name: string, supported: string[]): VendorError {
  const quoted = supported.map((one) => `'${one}'`)
  const list = `${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1)}`
  const message = `Invalid value: '${value}'. Supported values are: ${list}.`
  return invalid(message, name, "invalid_value")
}

function checkMessage(message: Json, place: string): VendorError | undefined {
  if (!isObject(message)) {
    const text = `Invalid type for '${place}': expected an object, but got something else instead.`
    return invalid(text, place, "invalid_type")
  }
  if (typeof message.role !== "string") return missing(`${place}.role`)
  if (!ROLES.includes(message.role)) return unsupported(message.role, `${place}.role`, ROLES)
  if (message.role === "tool" && typeof message.tool_call_id !== "string") {
    return missing(`${place}.tool_call_id`)
  }
  const isCalling = message.tool_calls !== undefined || message.function_call !== undefined
  const isEmpty = message.content === undefined || message.content === null
  if (isEmpty && message.role !== "assistant") {
    const text = `Invalid value for 'content': expected a string, got null.`
    return invalid(text, `${place}.content`, null)
  }
  if (isEmpty && !isCalling && message.refusal === undefined && message.audio === undefined) {
    const text = `Invalid value for 'content': expected a string, got null.`
    return invalid(text, `${place}.content`, null)
  }
  return checkParts(arrayOf(message.content), `${place}.content`)
}

function checkParts(parts: Json[], place: string): VendorError | undefined {
  for (const [index, part] of parts.entries()) {
    const type = stringOf(objectOf(part).type)
    if (!PARTS.includes(type)) return unsupported(type, `${place}[${index}].type`, PARTS)
    if (objectOf(part)[type] === undefined) return missing(`${place}[${index}].${type}`)
  }
  return undefined
}

/** Checks that each call is followed directly by its result, and that there are no other results. */
function checkToolOrder(messages: JsonObject[]): VendorError | undefined {
  let open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (open.delete(stringOf(message.tool_call_id))) continue
      const text =
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding " +
        "message with 'tool_calls'."
      return invalid(text, `messages.[${index}].role`, null)
    }
    if (open.size > 0) return unanswered(open, index)
    open = new Set(arrayOf(message.tool_calls).map((call) => stringOf(objectOf(call).id)))
  }
  return open.size > 0 ? unanswered(open, messages.length) : undefined
}

function unanswered(open: Set<string>, index: number): VendorError {
  const text =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to " +
    "each 'tool_call_id'. The following tool_call_ids did not have response messages: " +
    [...open].join(", ")
  return invalid(text, `messages.[${index}].role`, null)
}
