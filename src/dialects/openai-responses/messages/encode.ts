import type { ChatRequest } from "../../../canon/chat.ts"
import { type Extra, ownFields } from "../../../canon/extra.ts"
import type { JsonObject } from "../../../canon/json.ts"
import type { Message, Part, ToolResultPart } from "../../../canon/message.ts"
import { shownByUser } from "../../shared/assistant-media.ts"
import type { LossList } from "../../shared/losses.ts"
import { callId, DIALECT } from "../identifiers.ts"
import { encodeAssistant } from "./encode-assistant.ts"
import { encodeContent, isPlainText, itemsOf, noteCache } from "./encode-parts.ts"
import { isContentType } from "./item-types.ts"
import type { OpenAiResponsesQuirks } from "../quirks.ts"
import { CHUNK_BREAK } from "../reasoning.ts"

/** A conversation in this dialect. */
export interface EncodedInput {
  /** The text of the system messages at the start. */
  readonly instructions?: string
  readonly input: JsonObject[]
}

/** Encodes the conversation as items. */
export function encodeInput(
  request: ChatRequest,
  quirks: OpenAiResponsesQuirks,
  losses: LossList,
): EncodedInput {
  const messages = shownByUser(request.messages, DIALECT, losses)
  const leading = leadingInstructions(request)
  const input: JsonObject[] = []
  const textCalls = quirks.customTools ? textCallsOf(messages) : NO_CALLS
  for (const message of messages.slice(leading)) {
    if (message.name !== undefined) losses.add("name")
    if (message.role === "assistant") encodeAssistant(message, input, quirks, losses)
    else encodeOther(message, input, { textCalls, losses })
  }
  if (leading === 0) return { input }
  const instructed = messages.slice(0, leading).flatMap(({ parts }) => parts)
  for (const part of instructed) if (part.type === "text") noteCache(part, losses)
  const texts = instructed.map((part) => (part.type === "text" ? part.text : ""))
  return { instructions: texts.join(CHUNK_BREAK), input }
}

/**
 * Returns the number of messages that are sent as instructions. It is zero if JSON is requested, because OpenAI rejects
 * such a request unless its input contains the word "JSON".
 */
function leadingInstructions({ messages, responseFormat }: ChatRequest): number {
  if (responseFormat?.type === "json-object") return 0
  const end = messages.findIndex((message) => !isInstructions(message))
  return end < 0 ? messages.length : end
}

function isInstructions({ role, parts, name, extra }: Message): boolean {
  if (role !== "system" && role !== "developer") return false
  return name === undefined && extra === undefined && isPlainText(parts)
}

const NO_CALLS: ReadonlySet<string> = new Set()

/** Returns the ids of calls to custom tools, whose outputs have a different type. */
function textCallsOf(messages: readonly Message[]): ReadonlySet<string> {
  let calls: Set<string> | undefined
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== "tool-call" && part.type !== "tool-result") continue
      if (part.origin?.form === "text") (calls ??= new Set()).add(part.id)
    }
  }
  return calls ?? NO_CALLS
}

interface InputContext {
  readonly textCalls: ReadonlySet<string>
  readonly losses: LossList
}

/** Encodes a user or operator message, the output of a tool, or an item that was kept unchanged. */
function encodeOther(message: Message, input: JsonObject[], context: InputContext): void {
  const { losses } = context
  const content: Part[] = []
  let hasItems = false
  for (const part of message.parts) {
    if (part.type === "tool-result") input.push(encodeCallOutput(part, context))
    else if (part.type === "unknown" && !isContent(part.extra)) {
      input.push(...itemsOf(part, losses))
    } else {
      content.push(part)
      continue
    }
    hasItems = true
  }
  if (content.length === 0 && hasItems) return
  const role = message.role === "tool" ? "user" : message.role
  input.push({
    type: "message",
    role,
    content: encodeContent(content, losses),
    ...losses.fieldsOf(message.extra),
  })
}

function isContent(extra: Extra): boolean {
  return Object.keys(ownFields(DIALECT, extra) ?? {}).every(isContentType)
}

function encodeCallOutput(part: ToolResultPart, { textCalls, losses }: InputContext): JsonObject {
  noteCache(part, losses)
  if (part.failed === true) losses.add("tool_result.failed")
  return {
    type: textCalls.has(part.id) ? "custom_tool_call_output" : "function_call_output",
    call_id: callId(part.id),
    output: encodeContent(part.content, losses),
    ...losses.fieldsOf(part.extra),
  }
}
