import { isJsonObject, type JsonObject, type JsonValue, listAt } from "../../../canon/json.ts"
import type { Message, Part, ReasoningPart, ToolCallPart } from "../../../canon/message.ts"
import type { LossList } from "../../shared/losses.ts"
import { encodeAnnotations } from "../citations.ts"
import { callId, DIALECT } from "../identifiers.ts"
import { ownImageItem } from "../media.ts"
import { itemsOf, noteCache } from "./encode-parts.ts"
import type { OpenAiResponsesQuirks } from "../quirks.ts"
import { calledItem } from "../result/output-items.ts"

/** Encodes an assistant turn. Consecutive text and refusals form one item, and each other part is a separate item. */
export function encodeAssistant(
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
