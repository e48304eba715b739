import { memberOf } from "../../api/api-error.ts"
import type { ToolCall } from "./response.ts"
import type { AttachedImage } from "./conversation.ts"

/** A message of a request, in a common form for all formats. */
export type Said =
  | UserSaid
  | { readonly by: "model"; readonly text: string; readonly calls: readonly ToolCall[] }
  | ToolResult

interface UserSaid {
  readonly by: "user"
  readonly text: string
  /** Images contained in the request. */
  readonly images: readonly AttachedImage[]
  /** Other attachments, by name or address. */
  readonly files: readonly string[]
}

interface ToolResult {
  readonly by: "tool"
  readonly id: string
  readonly text: string
}

export interface System {
  readonly by: "system"
  readonly text: string
}

/** Reads the messages of users, models and tools from the body of a chat request. */
export function saidIn(body: unknown): Said[] {
  return conversationIn(body).filter((item) => item.by !== "system")
}

/** Reads the system prompts from the body of a chat request. */
export function systemIn(body: unknown): string {
  return conversationIn(body)
    .filter((item) => item.by === "system")
    .map(({ text }) => text)
    .join("\n\n")
}

/** Reads the model's messages from the response to a chat request. For a streamed response, only the text is stored. */
export function answeredIn(response: unknown): (Said | System)[] {
  if (typeof response === "string") {
    return response === "" ? [] : [{ by: "model", text: response, calls: [] }]
  }
  const messages = [
    ...listOf(memberOf(response, "choices")).map((choice) => memberOf(choice, "message")),
    ...listOf(memberOf(response, "candidates")).map((candidate) => memberOf(candidate, "content")),
    ...listOf(memberOf(response, "output")),
    ...(Array.isArray(memberOf(response, "content")) ? [response] : []),
  ]
  return messages.flatMap(readItem).filter((said) => said.by !== "user")
}

/** Reads all messages of a chat request in order, including system prompts. */
export function conversationIn(body: unknown): (Said | System)[] {
  const input = memberOf(body, "input")
  return [
    ...systems(memberOf(body, "system")),
    ...systems(memberOf(body, "instructions")),
    ...systems(memberOf(memberOf(body, "systemInstruction"), "parts")),
    ...listOf(memberOf(body, "messages")),
    ...listOf(memberOf(body, "contents")),
    ...(typeof input === "string" ? [{ role: "user", content: input }] : listOf(input)),
  ].flatMap(readItem)
}

function systems(content: unknown): unknown[] {
  return content === undefined ? [] : [{ role: "system", content }]
}

function readItem(item: unknown): (Said | System)[] {
  switch (memberOf(item, "type")) {
    case "function_call":
      return [{ by: "model", text: "", calls: [callOf(item, "call_id", "arguments")] }]
    case "function_call_output":
      return [toolResult(memberOf(item, "call_id"), memberOf(item, "output"))]
    default:
      return readMessage(item)
  }
}

function readMessage(message: unknown): (Said | System)[] {
  const role = memberOf(message, "role")
  const content = memberOf(message, "content") ?? memberOf(message, "parts")
  const parts = typeof content === "string" ? [{ text: content }] : listOf(content)
  const text = parts.map(textOf).join("")
  if (role === "system" || role === "developer") return [{ by: "system", text }]
  if (role === "tool") return [toolResult(memberOf(message, "tool_call_id"), content)]
  if (role === "assistant" || role === "model") {
    const own = listOf(memberOf(message, "tool_calls")).map((call) => {
      return {
        ...callOf(memberOf(call, "function"), "id", "arguments"),
        id: idOf(memberOf(call, "id")),
      }
    })
    return [{ by: "model", text, calls: [...own, ...parts.flatMap(callInPart)] }]
  }
  const results = parts.flatMap(resultInPart)
  const images = parts.flatMap(imageInPart)
  const files = parts.flatMap(fileInPart)
  const isEmpty = text === "" && images.length === 0 && files.length === 0
  return isEmpty ? results : [...results, { by: "user", text, images, files }]
}

function textOf(part: unknown): string {
  const text = memberOf(part, "text")
  return typeof text === "string" ? text : ""
}

function callInPart(part: unknown): ToolCall[] {
  if (memberOf(part, "type") === "tool_use") return [callOf(part, "id", "input")]
  const call = memberOf(part, "functionCall")
  // Google's results identify calls by name.
  return call === undefined ? [] : [callOf(call, "name", "args")]
}

function resultInPart(part: unknown): ToolResult[] {
  if (memberOf(part, "type") === "tool_result") {
    return [toolResult(memberOf(part, "tool_use_id"), memberOf(part, "content"))]
  }
  const result = memberOf(part, "functionResponse")
  if (result === undefined) return []
  return [toolResult(memberOf(result, "name"), memberOf(result, "response"))]
}

/** Reads images contained in the request. The browser does not load external images. */
function imageInPart(part: unknown): AttachedImage[] {
  const source = memberOf(part, "source") ?? memberOf(part, "inlineData")
  const type = memberOf(source, "media_type") ?? memberOf(source, "mimeType")
  const data = memberOf(source, "data")
  const given = memberOf(part, "image_url")
  const url = typeof given === "string" ? given : memberOf(given, "url")
  if (typeof url === "string" && url.startsWith("data:image/")) return [{ name: "image", url }]
  if (typeof type !== "string" || typeof data !== "string" || !type.startsWith("image/")) return []
  return [{ name: "image", url: `data:${type};base64,${data}` }]
}

/** Reads the name or address of other attachments of a question. */
function fileInPart(part: unknown): string[] {
  if (imageInPart(part).length > 0) return []
  const kind = memberOf(part, "type")
  const places = [
    part,
    memberOf(part, "image_url"),
    memberOf(part, "file"),
    memberOf(part, "source"),
    memberOf(part, "input_audio"),
    memberOf(part, "inlineData"),
    memberOf(part, "fileData"),
  ]
  const isFile =
    places.slice(1).some((place) => place !== undefined) ||
    (typeof kind === "string" && /file|image|audio|document/.test(kind))
  if (!isFile || kind === "tool_use" || kind === "tool_result") return []
  const names = ["filename", "title", "url", "image_url", "file_url", "fileUri", "file_id"]
  const given = [...names, "mimeType", "media_type", "format"].flatMap((name) =>
    places.map((place) => memberOf(place, name)),
  )
  const named = given.find((name) => typeof name === "string" && !name.startsWith("data:"))
  return [typeof named === "string" ? named : idOf(kind) || "file"]
}

function callOf(call: unknown, id: string, given: string): ToolCall {
  const value = memberOf(call, given)
  return {
    id: idOf(memberOf(call, id)),
    name: idOf(memberOf(call, "name")),
    arguments: typeof value === "string" ? value : JSON.stringify(value ?? {}),
  }
}

function toolResult(id: unknown, content: unknown): ToolResult {
  const parts = Array.isArray(content) ? content.map(textOf).join("") : ""
  const text = typeof content === "string" ? content : parts || JSON.stringify(content ?? "")
  return { by: "tool", id: idOf(id), text }
}

function idOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}
