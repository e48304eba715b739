import type { ChatRequest } from "../../../canon/chat.ts"
import { type Extra, ownFields } from "../../../canon/extra.ts"
import { type JsonObject, isJsonObject, type JsonValue, listAt } from "../../../canon/json.ts"
import type {
  Message,
  Part,
  ToolResultPart,
  ReasoningPart,
  ToolCallPart,
} from "../../../canon/message.ts"
import { shownByUser } from "../../shared/assistant-media.ts"
import type { LossList } from "../../shared/losses.ts"
import { callId, DIALECT } from "../identifiers.ts"
import { encodeContent, isPlainText, itemsOf, noteCache } from "./encode-parts.ts"
import { isContentType } from "./item-types.ts"
import type { OpenAiResponsesQuirks } from "../quirks.ts"
import { CHUNK_BREAK } from "../reasoning.ts"
import { encodeAnnotations } from "../citations.ts"
import { ownImageItem } from "../media.ts"
import { calledItem } from "../result/output-items.ts"

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

/** Encodes an assistant turn. Consecutive text and refusals form one item, and each other part is a separate item. */
function encodeAssistant(
  message: Message,
  input: JsonObject[],
  quirks: OpenAiResponsesQuirks,
  losses: LossList,
): void {
  losses.fieldsOf(message.extra)
  const start = input.length
  let said: JsonObject | undefined
  for (const part of message.parts) {
    if (part.type === "text" || part.type === "refusal") {
      const { content, phase } = encodeSaid(part, losses)
      if (said === undefined || said.phase !== phase) {
        said = { type: "message", role: "assistant", content: [] }
        if (phase !== undefined) said.phase = phase
        input.push(said)
      }
      if (Array.isArray(said.content)) said.content.push(content)
      continue
    }
    said = undefined
    input.push(...encodeDone(part, quirks, losses))
  }
  if (message.parts.length === 0) input.push({ type: "message", role: "assistant", content: "" })
  dropTrailingReasoning(input, start, losses)
  for (const item of input.slice(start)) {
    if (item.type === "message" && isPlain(item.content)) item.content = item.content[0].text
  }
}

/** Whether content is a single plain text, which is sent as a string so that every vendor can read it. */
function isPlain(content: JsonValue | undefined): content is [{ text: string }] {
  if (!Array.isArray(content) || content.length !== 1) return false
  const [only] = content
  if (!isJsonObject(only) || only.type !== "output_text") return false
  return listAt(only, "annotations").length === 0 && Object.keys(only).length === 3
}

interface Said {
  readonly content: JsonObject
  /**
   * Whether the model wrote the text during its work or as its conclusion. The model needs this value in later
   * requests.
   */
  readonly phase: JsonValue | undefined
}

function encodeSaid(part: Extract<Part, { type: "text" | "refusal" }>, losses: LossList): Said {
  if (part.type === "refusal") {
    return { content: { type: "refusal", refusal: part.text }, phase: undefined }
  }
  noteCache(part, losses)
  const { phase, ...fields } = losses.fieldsOf(part.extra) ?? {}
  const annotations = encodeAnnotations(part)
  return { content: { type: "output_text", text: part.text, annotations, ...fields }, phase }
}

/** Encodes a part of the assistant's turn other than text. */
function encodeDone(
  part: Exclude<Part, { type: "text" | "refusal" }>,
  quirks: OpenAiResponsesQuirks,
  losses: LossList,
): JsonObject[] {
  switch (part.type) {
    case "reasoning":
      return encodeReasoning(part, quirks, losses)
    case "tool-call":
      return [encodeCall(part, quirks, losses)]
    case "image": {
      const own = ownImageItem(part)
      if (own !== undefined) return [own]
      losses.add(part.type)
      return []
    }
    case "unknown":
      return itemsOf(part, losses)
    default:
      losses.add(part.type)
      return []
  }
}

function encodeCall(
  part: ToolCallPart,
  quirks: OpenAiResponsesQuirks,
  losses: LossList,
): JsonObject {
  noteCache(part, losses)
  return {
    ...calledItem(callId(part.id), part, quirks.customTools ? part.origin : undefined),
    ...losses.fieldsOf(part.extra),
  }
}

function encodeReasoning(
  part: ReasoningPart,
  quirks: OpenAiResponsesQuirks,
  losses: LossList,
): JsonObject[] {
  const { text, signature, signedBy, id } = part
  const item: JsonObject = { type: "reasoning", ...(id === undefined ? {} : { id }), summary: [] }
  const isReadable = signedBy === DIALECT && quirks.encryptedReasoning
  if (signature !== undefined && isReadable) {
    if (text !== "") item.summary = [{ type: "summary_text", text }]
    item.encrypted_content = signature
  } else {
    if (signature !== undefined) losses.add("reasoning.signature")
    if (!quirks.reasoningText || text === "") {
      if (text !== "") losses.add("reasoning")
      losses.fieldsOf(part.extra)
      return []
    }
    item.content = [{ type: "reasoning_text", text }]
  }
  return [{ ...item, ...losses.fieldsOf(part.extra) }]
}

/** Drops reasoning at the end of its turn, because OpenAI rejects it (docs/contribute/wire/openai-responses.md#f9). */
function dropTrailingReasoning(input: JsonObject[], start: number, losses: LossList): void {
  while (input.length > start && input.at(-1)?.type === "reasoning") {
    const item = input.pop()
    losses.add(item?.encrypted_content === undefined ? "reasoning" : "reasoning.signature")
  }
}
