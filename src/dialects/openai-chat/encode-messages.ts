import type {
  Extra,
  Message,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
} from "../../canon/chat.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import { LEGACY_FUNCTION } from "./decode-messages.ts"
import { isContentType } from "./decode-parts.ts"
import { encodeContent } from "./encode-parts.ts"
import { encodeReasoning } from "./reasoning.ts"
import { DIALECT, type LossList } from "./wire.ts"

/**
 * The messages of a request. Each answer of a tool is a message of its own, before anything else its
 * message says; what a tool answered beside text follows in a message of the user, after all the
 * answers, because OpenAI takes only text from tools and no other message between answers.
 */
export function encodeMessages(messages: readonly Message[], losses: LossList): JsonObject[] {
  const encoded: JsonObject[] = []
  let shown: Part[] = []
  for (const message of messages) {
    const answers = message.parts.filter((part) => part.type === "tool-result")
    if (answers.length === 0) shown = flushShown(shown, encoded, losses)
    for (const answer of answers) {
      shown.push(...answer.content.filter((part) => part.type !== "text"))
      encoded.push(encodeAnswer(answer, message, losses))
    }
    const rest = message.parts.filter((part) => part.type !== "tool-result")
    if (rest.length === 0 && answers.length > 0) continue
    shown = flushShown(shown, encoded, losses)
    encoded.push(encodeMessage(message, rest, losses))
  }
  flushShown(shown, encoded, losses)
  return encoded
}

function flushShown(shown: Part[], encoded: JsonObject[], losses: LossList): Part[] {
  if (shown.length === 0) return shown
  losses.add("tool_result.media", "approximated")
  encoded.push({ role: "user", content: encodeContent(shown, losses) })
  return []
}

function encodeAnswer(answer: ToolResultPart, message: Message, losses: LossList): JsonObject {
  if (answer.failed === true) losses.add("tool_result.failed")
  const content = encodeContent(
    answer.content.filter((part) => part.type === "text"),
    losses,
  )
  const extra = losses.fieldsOf(answer.extra)
  if (extra?.[LEGACY_FUNCTION] === true) return { role: "function", name: answer.id, content }
  const encoded: JsonObject = { role: "tool", tool_call_id: answer.id, content }
  if (message.role !== "tool") return encoded
  return withRest(encoded, message, losses)
}

function encodeMessage(message: Message, parts: readonly Part[], losses: LossList): JsonObject {
  if (message.role === "assistant") return encodeAssistant(message, parts, losses)
  const role = message.role === "tool" ? "user" : message.role
  return withRest({ role, content: encodeContent(parts, losses) }, message, losses)
}

function encodeAssistant(message: Message, parts: readonly Part[], losses: LossList): JsonObject {
  const reasoning: ReasoningPart[] = []
  const content: Part[] = []
  const calls: JsonValue[] = []
  const encoded: JsonObject = { role: "assistant", content: null }
  let refusal = ""
  for (const part of parts) {
    if (part.type === "reasoning") {
      losses.fieldsOf(part.extra)
      reasoning.push(part)
    } else if (part.type === "refusal") refusal += part.text
    else if (part.type === "tool-call") encodeCall(part, encoded, calls, losses)
    else if (part.type === "unknown" && isOtherCall(part.extra)) calls.push(part.extra.fields)
    else content.push(part)
  }
  if (content.length > 0) encoded.content = encodeContent(content, losses)
  if (refusal !== "") encoded.refusal = refusal
  if (calls.length > 0) encoded.tool_calls = calls
  // A message that says and does nothing is still one of text.
  const isSilent = calls.length === 0 && refusal === "" && encoded.function_call === undefined
  if (encoded.content === null && isSilent) encoded.content = ""
  Object.assign(encoded, encodeReasoning(reasoning, "reasoning_content"))
  return withRest(encoded, message, losses)
}

/** A call of something that is no function: kept whole, and told from content by its type. */
function isOtherCall({ dialect, fields }: Extra): boolean {
  return dialect === DIALECT && typeof fields.type === "string" && !isContentType(fields.type)
}

function encodeCall(
  part: ToolCallPart,
  encoded: JsonObject,
  calls: JsonValue[],
  losses: LossList,
): void {
  const extra = losses.fieldsOf(part.extra)
  const called = { name: part.name, arguments: part.arguments }
  if (extra?.[LEGACY_FUNCTION] === true) encoded.function_call = called
  else calls.push({ id: part.id, type: "function", function: called, ...extra })
}

function withRest(encoded: JsonObject, message: Message, losses: LossList): JsonObject {
  if (message.name !== undefined) encoded.name = message.name
  return Object.assign(encoded, losses.fieldsOf(message.extra))
}
