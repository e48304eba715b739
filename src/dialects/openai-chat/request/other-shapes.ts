import {
  isDefined,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  textAt,
} from "../../../canon/json.ts"
import { encodeDataUrl } from "../../../canon/media-source.ts"

/**
 * Converts a chat completion request to the form of this dialect if its client writes tools, tool choices or content as
 * in Anthropic's API or OpenAI's responses API. Cursor does so for some models.
 * @returns the same body if it already has that form.
 */
export function chatShaped(body: JsonObject): JsonObject {
  const { tools, tool_choice: choice, messages, system } = body
  const shaped: JsonObject = {}
  if (Array.isArray(tools) && tools.some(isFlatTool)) shaped.tools = tools.map(nestedTool)
  if (isJsonObject(choice)) {
    const nested = nestedChoice(choice)
    if (nested !== choice) shaped.tool_choice = nested
  }
  if (Array.isArray(messages)) {
    const written = messages.some(hasOtherContent) ? messages.flatMap(chatMessages) : messages
    const isNew = isDefined(system) && Array.isArray(written)
    const all = isNew ? [{ role: "system", content: chatContent(system) }, ...written] : written
    if (all !== messages) shaped.messages = all
  }
  if (Object.keys(shaped).length === 0) return body
  const { system: _, ...rest } = body
  return { ...(shaped.messages === undefined ? body : rest), ...shaped }
}

function isFlatTool(tool: JsonValue): boolean {
  if (!isJsonObject(tool) || typeof tool.name !== "string") return false
  const { type, function: declared, custom, input_schema: schema } = tool
  if (isDefined(declared) || isDefined(custom)) return false
  return type === "function" || type === "custom" || isDefined(schema)
}

/** Members of a tool that are next to its declaration, not within it. */
const BESIDE = ["cache_control"] as const

function nestedTool(tool: JsonValue): JsonValue {
  if (!isJsonObject(tool) || !isFlatTool(tool)) return tool
  const { type, input_schema: schema, ...declared } = tool
  const nested: JsonObject = {}
  for (const name of BESIDE) {
    if (declared[name] === undefined) continue
    nested[name] = declared[name]
    delete declared[name]
  }
  if (type !== "custom" || isDefined(schema)) {
    if (isDefined(schema)) declared.parameters = schema
    return { type: "function", function: declared, ...nested }
  }
  const { format } = declared
  if (isJsonObject(format) && format.type === "grammar" && format.grammar === undefined) {
    const { type: kind, ...grammar } = format
    declared.format = { type: kind, grammar }
  }
  return { type: "custom", custom: declared, ...nested }
}

/** The tool choice in this dialect for each type of Anthropic's tool choices. */
const WORDS: Readonly<Record<string, string>> = { auto: "auto", any: "required", none: "none" }

function nestedChoice(choice: JsonObject): JsonValue {
  const { type, name } = choice
  if (typeof type !== "string") return choice
  if (Object.hasOwn(WORDS, type)) return WORDS[type] ?? choice
  if (typeof name !== "string") return choice
  if (type === "custom" && choice.custom === undefined) return { type, custom: { name } }
  const isFunction = type === "tool" || (type === "function" && choice.function === undefined)
  return isFunction ? { type: "function", function: { name } } : choice
}

/** Types of content that have another name or another place in this dialect. */
const OTHER_TYPES: ReadonlySet<JsonValue | undefined> = new Set([
  "document",
  "image",
  "input_file",
  "input_image",
  "input_text",
  "output_text",
  "redacted_thinking",
  "tool_result",
  "tool_use",
])

function isOtherPart(part: JsonValue): boolean {
  if (!isJsonObject(part)) return false
  const { type, thinking } = part
  return OTHER_TYPES.has(type) || (type === "thinking" && typeof thinking === "string")
}

function hasOtherContent(message: JsonValue): boolean {
  return (
    isJsonObject(message) && Array.isArray(message.content) && message.content.some(isOtherPart)
  )
}

/** Splits a message. Tool results become separate messages before the rest of the message. */
function chatMessages(message: JsonValue): JsonValue[] {
  if (!isJsonObject(message) || !hasOtherContent(message)) return [message]
  const { content: _, ...members } = message
  const results: JsonValue[] = []
  const calls: JsonValue[] = [...listAt(message, "tool_calls")]
  const content: JsonValue[] = []
  let reasoning = ""
  for (const part of listAt(message, "content")) {
    if (!isJsonObject(part)) content.push(part)
    else if (part.type === "tool_result") addResult(part, results, content)
    else if (part.type === "tool_use") calls.push(callOf(part))
    else if (part.type === "thinking" && typeof part.thinking === "string") {
      reasoning += part.thinking
    } else if (part.type !== "redacted_thinking") content.push(chatPart(part))
  }
  if (calls.length > 0) members.tool_calls = calls
  if (reasoning !== "") members.reasoning_content = reasoning
  const isEmpty = content.length === 0 && calls.length === 0 && reasoning === ""
  if (isEmpty && results.length > 0) return results
  const rest: JsonObject = { ...members, content: content.length === 0 ? null : content }
  return [...results, rest]
}

/** Adds a tool result. Its images follow after the results, because results are text in this dialect. */
function addResult(part: JsonObject, results: JsonValue[], content: JsonValue[]): void {
  const { tool_use_id: id, content: said = "", cache_control: cache } = part
  const parts = Array.isArray(said) ? chatParts(said) : []
  const texts: JsonValue[] = []
  for (const each of parts) {
    const isText = isJsonObject(each) && each.type === "text"
    if (isText) texts.push(each)
    else content.push(each)
  }
  results.push({
    role: "tool",
    tool_call_id: id,
    content: Array.isArray(said) ? texts : said,
    ...(cache === undefined ? {} : { cache_control: cache }),
  })
}

function callOf({ id, name, input, cache_control: cache }: JsonObject): JsonObject {
  const called = { name, arguments: JSON.stringify(input ?? {}) }
  const mark = cache === undefined ? {} : { cache_control: cache }
  return { id, type: "function", function: called, ...mark }
}

function chatContent(content: JsonValue): JsonValue {
  return Array.isArray(content) ? chatParts(content) : content
}

function chatParts(parts: readonly JsonValue[]): JsonValue[] {
  return parts.map((part) => (isJsonObject(part) ? chatPart(part) : part))
}

function chatPart(part: JsonObject): JsonObject {
  const { type, cache_control: cache } = part
  const mark: JsonObject = cache === undefined ? {} : { cache_control: cache }
  switch (type) {
    case "input_text":
    case "output_text":
      return { ...mark, type: "text", text: part.text ?? "" }
    case "input_image": {
      const detail = isDefined(part.detail) ? { detail: part.detail } : {}
      return { ...mark, type: "image_url", image_url: { url: part.image_url ?? "", ...detail } }
    }
    case "input_file": {
      const { type: _, cache_control: _1, file_url: url, ...file } = part
      return { ...mark, type: "file", file: isDefined(url) ? { ...file, file_data: url } : file }
    }
    case "image":
      return { ...mark, type: "image_url", image_url: { url: addressOf(part.source) } }
    case "document":
      return documentPart(part, mark)
    default:
      return part
  }
}

function documentPart(part: JsonObject, mark: JsonObject): JsonObject {
  const { source, title } = part
  if (isJsonObject(source) && source.type === "text") {
    return { ...mark, type: "text", text: source.data ?? "" }
  }
  const name = isDefined(title) ? { filename: title } : {}
  return { ...mark, type: "file", file: { file_data: addressOf(source), ...name } }
}

function addressOf(source: JsonValue | undefined): string {
  if (!isJsonObject(source)) return ""
  const { type } = source
  if (type === "url") return textAt(source, "url") ?? ""
  return encodeDataUrl(textAt(source, "data") ?? "", textAt(source, "media_type") ?? "image/png")
}
