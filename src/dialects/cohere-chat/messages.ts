import type { JsonObject, JsonValue } from "../../canon/json.ts"
import type {
  Message,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  FilePart,
  ImagePart,
} from "../../canon/message.ts"
import { shownByUser } from "../shared/assistant-media.ts"
import type { LossList } from "../shared/losses.ts"
import { DIALECT } from "./identifiers.ts"
import { encodeImageUrl } from "../shared/media.ts"

/**
 * Encodes the messages of a request. All instructions are in one message at the start, because Cohere rejects a system
 * message anywhere else. Content of tool results other than text follows in a user message after the last result.
 * @param instruction the gateway's own instruction, which is added to the caller's.
 */
export function encodeMessages(
  messages: readonly Message[],
  instruction: string | undefined,
  losses: LossList,
): JsonObject[] {
  const instructions: Part[] = []
  const encoded: JsonObject[] = []
  let shown: Part[] = []
  for (const message of shownByUser(messages, DIALECT, losses)) {
    if (message.name !== undefined) losses.add("name")
    const extra = losses.fieldsOf(message.extra)
    if (isInstruction(message)) {
      if (encoded.length > 0) losses.add("system.position", "approximated")
      instructions.push(...message.parts)
      continue
    }
    if (message.role !== "tool") shown = flushShown(shown, encoded, losses)
    switch (message.role) {
      case "tool":
        for (const part of message.parts) {
          if (part.type === "tool-result") encoded.push(encodeResponse(part, shown, losses))
        }
        break
      case "assistant":
        encoded.push({ ...encodeAssistant(message.parts, losses), ...extra })
        break
      default:
        encoded.push({ role: "user", content: encodeContent(message.parts, losses), ...extra })
    }
  }
  flushShown(shown, encoded, losses)
  if (instruction !== undefined) instructions.push({ type: "text", text: instruction })
  if (instructions.length === 0) return encoded
  return [{ role: "system", content: encodeContent(instructions, losses) }, ...encoded]
}

function isInstruction({ role }: Message): boolean {
  return role === "system" || role === "developer"
}

function flushShown(shown: Part[], encoded: JsonObject[], losses: LossList): Part[] {
  if (shown.length === 0) return shown
  losses.add("tool_result.media", "approximated")
  encoded.push({ role: "user", content: encodeContent(shown, losses) })
  return []
}

/** Encodes a tool result, which is text. Images are collected, and follow after the last result. */
function encodeResponse(response: ToolResultPart, shown: Part[], losses: LossList): JsonObject {
  if (response.failed === true) losses.add("tool_result.failed")
  if (response.cache !== undefined) losses.add("cache_control")
  shown.push(...response.content.filter((part) => part.type === "image"))
  const content = encodeContent(
    response.content.filter((part) => part.type !== "image"),
    losses,
  )
  return { role: "tool", tool_call_id: response.id, content, ...losses.fieldsOf(response.extra) }
}

/**
 * Encodes an assistant message. Reasoning before calls becomes Cohere's `tool_plan`, which every model with tools
 * supports. Reasoning before a response becomes content of the type `thinking`.
 */
function encodeAssistant(parts: readonly Part[], losses: LossList): JsonObject {
  const content: JsonValue[] = []
  const calls: JsonValue[] = []
  const plan: string[] = []
  const isCalling = parts.some((part) => part.type === "tool-call")
  for (const part of parts) {
    switch (part.type) {
      case "reasoning":
        noteSignature(part, losses)
        if (part.text === "") break
        if (isCalling) plan.push(part.text)
        else content.push({ type: "thinking", thinking: part.text })
        break
      case "tool-call":
        calls.push(encodeCall(part, losses))
        break
      default: {
        const encoded = encodePart(part, losses)
        if (encoded !== undefined) content.push(encoded)
      }
    }
  }
  const message: JsonObject = { role: "assistant" }
  if (content.length > 0 || !isCalling) message.content = content.length > 0 ? content : ""
  if (plan.length > 0) message.tool_plan = plan.join("\n\n")
  if (calls.length > 0) message.tool_calls = calls
  return message
}

/** Reports a signature as a loss, because Cohere has no signatures. */
function noteSignature(part: ReasoningPart, losses: LossList): void {
  if (part.signature !== undefined) losses.add("reasoning.signature")
  losses.fieldsOf(part.extra)
}

function encodeCall(part: ToolCallPart, losses: LossList): JsonObject {
  if (part.cache !== undefined) losses.add("cache_control")
  const called = { name: part.name, arguments: part.arguments }
  return { id: part.id, type: "function", function: called, ...losses.fieldsOf(part.extra) }
}

/** Levels of image detail (Cohere's reference for `/v2/chat`). */
const DETAILS: ReadonlySet<string> = new Set(["auto", "low", "high"])

/** Matches media types of text files. */
const TEXT_TYPE = /^(text\/|application\/(json|xml|yaml|x-yaml)\b)/

/** Returns the content of a message, as a string if it is only text. */
function encodeContent(parts: readonly Part[], losses: LossList): JsonValue {
  const content: JsonObject[] = []
  for (const part of parts) {
    const encoded = encodePart(part, losses)
    if (encoded !== undefined) content.push(encoded)
  }
  const [only] = content
  if (only === undefined) return ""
  return content.length === 1 && only.type === "text" ? (only.text ?? "") : content
}

/** Returns one part of content; undefined, with a loss, if Cohere has no equivalent. */
function encodePart(part: Part, losses: LossList): JsonObject | undefined {
  if ("cache" in part && part.cache !== undefined) losses.add("cache_control")
  switch (part.type) {
    case "text":
      if (part.citations !== undefined) losses.add("citations")
      return { type: "text", text: part.text, ...losses.fieldsOf(part.extra) }
    case "refusal":
      losses.add("refusal", "approximated")
      return { type: "text", text: part.text }
    case "image":
      return encodeImage(part, losses)
    case "file":
      return encodeFile(part, losses)
    case "unknown":
      return losses.partOf(part)
    default:
      losses.add(part.type)
      return undefined
  }
}

function encodeImage(part: ImagePart, losses: LossList): JsonObject | undefined {
  const url = encodeImageUrl(part.source)
  if (url === undefined) {
    losses.add("image")
    return undefined
  }
  const image: JsonObject = { url }
  const { detail } = part
  if (detail !== undefined) {
    if (DETAILS.has(detail)) image.detail = detail
    else losses.add("image.detail")
  }
  return { type: "image_url", image_url: image, ...losses.fieldsOf(part.extra) }
}

/** Encodes a text file as text, because Cohere accepts no files. */
function encodeFile(part: FilePart, losses: LossList): JsonObject | undefined {
  const { source, name } = part
  losses.fieldsOf(part.extra)
  if (source.type === "base64" && TEXT_TYPE.test(source.mediaType ?? "")) {
    losses.add("file.data", "approximated")
    const text = Buffer.from(source.data, "base64").toString("utf8")
    return { type: "text", text: name === undefined ? text : `${name}:\n${text}` }
  }
  losses.add(source.type === "base64" ? "file.data" : "file.url")
  return undefined
}
