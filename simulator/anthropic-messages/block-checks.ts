import { readBase64 } from "../images.ts"
import {
  arrayOf,
  entryOf,
  isObject,
  objectOf,
  stringOf,
  type Json,
  type JsonObject,
} from "../json.ts"
import { SIGNER } from "./signer.ts"

// The fields of each block according to the SDK's types. Blocks of tools that Anthropic runs are not checked.
const FIELDS: Record<string, readonly string[]> = {
  text: ["text", "cache_control", "citations"],
  image: ["source", "cache_control", "transformations"],
  document: ["source", "cache_control", "citations", "context", "title"],
  search_result: ["source", "title", "content", "cache_control", "citations"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "cache_control", "caller", "toolset_name"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control", "toolset_name"],
}
const UNCHECKED =
  /^(server_tool_use|container_upload|tool_reference|browser_state|mcp_tool_use|tool_addition|tool_removal|\w+_tool_result)$/
const ROLE_OF: Record<string, string> = {
  image: "user",
  document: "user",
  search_result: "user",
  tool_result: "user",
  thinking: "assistant",
  redacted_thinking: "assistant",
  tool_use: "assistant",
}
const INSIDE_RESULTS = new Set(["text", "image", "document", "search_result"])
const CALL_ID = /^[a-zA-Z0-9_-]+$/
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"]

/** Returns Anthropic's error for one block of a message. `place` is the dotted path of the block. */
export function checkBlock(block: Json, role: string, place: string): string | undefined {
  if (!isObject(block)) return `${place}: Input should be a valid dictionary`
  const type = stringOf(block.type)
  const fields = entryOf(FIELDS, type)
  if (fields === undefined) return UNCHECKED.test(type) ? undefined : unknownTag(type, place)
  for (const field in block) {
    if (field !== "type" && !fields.includes(field)) {
      return `${place}.${type}.${field}: Extra inputs are not permitted`
    }
  }
  const owner = ROLE_OF[type]
  if (owner !== undefined && owner !== role) {
    return `${place}: \`${type}\` blocks can only be in \`${owner}\` messages`
  }
  return checkKnown(block, type, place)
}

function unknownTag(type: string, place: string): string {
  if (type === "") return `${place}.type: Field required`
  const expected = Object.keys(FIELDS).map((tag) => `'${tag}'`)
  return `${place}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${expected.join(", ")}`
}

function checkKnown(block: JsonObject, type: string, place: string): string | undefined {
  const inner = `${place}.${type}`
  switch (type) {
    case "text":
      if (typeof block.text !== "string") return `${inner}.text: Field required`
      return block.text === "" ? "messages: text content blocks must be non-empty" : undefined
    case "image":
      return checkImage(objectOf(block.source), `${inner}.source`)
    case "document":
      return checkDocument(objectOf(block.source), `${inner}.source`)
    case "thinking":
    case "redacted_thinking":
      return checkThinkingBlock(block, type, place)
    case "tool_use":
      return checkCall(block, inner)
    case "tool_result":
      return checkResult(block, inner)
    default:
      return undefined
  }
}

function checkThinkingBlock(block: JsonObject, type: string, place: string): string | undefined {
  if (type === "redacted_thinking") {
    if (typeof block.data !== "string") return `${place}.redacted_thinking.data: Field required`
    return SIGNER.opens(block.data)
      ? undefined
      : `${place}: Invalid \`data\` in \`redacted_thinking\` block`
  }
  const { thinking, signature } = block
  if (typeof thinking !== "string") return `${place}.thinking.thinking: Field required`
  if (typeof signature !== "string") return `${place}.thinking.signature: Field required`
  return SIGNER.verifies(thinking, signature)
    ? undefined
    : `${place}: Invalid \`signature\` in \`thinking\` block`
}

function checkCall(block: JsonObject, inner: string): string | undefined {
  const { id, name, input } = block
  if (typeof id !== "string") return `${inner}.id: Field required`
  if (!CALL_ID.test(id)) return `${inner}.id: String should match pattern '${CALL_ID.source}'`
  if (typeof name !== "string" || name === "") return `${inner}.name: Field required`
  if (input === undefined) return `${inner}.input: Field required`
  return isObject(input) ? undefined : `${inner}.input: Input should be a valid dictionary`
}

function checkResult(block: JsonObject, inner: string): string | undefined {
  const { tool_use_id: id, content } = block
  if (typeof id !== "string") return `${inner}.tool_use_id: Field required`
  if (content === undefined || typeof content === "string") return undefined
  if (!Array.isArray(content)) return `${inner}.content: Input should be a valid list`
  for (const [index, part] of arrayOf(content).entries()) {
    const type = stringOf(objectOf(part).type)
    const place = `${inner}.content.${index}`
    if (!INSIDE_RESULTS.has(type) && !UNCHECKED.test(type)) return unknownTag(type, place)
    const error = checkBlock(part, "user", place)
    if (error !== undefined) return error
  }
  return undefined
}

function checkImage(source: JsonObject, place: string): string | undefined {
  const { type, data, media_type: mediaType } = source
  if (type === "url") return checkText(source.url, `${place}.url.url`)
  if (type === "file") return checkText(source.file_id, `${place}.file.file_id`)
  if (type !== "base64") return sourceTag(type, place, "'base64', 'url', 'file'")
  if (!IMAGE_TYPES.includes(stringOf(mediaType))) {
    return `${place}.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`
  }
  if (typeof data !== "string") return `${place}.base64.data: Field required`
  const facts = readBase64(data)
  if (facts === undefined) return "Could not process image"
  if (mediaType === `image/${facts.kind}`) return undefined
  return `${place}.base64.data: The image was specified using the ${stringOf(mediaType)} media type, but the image appears to be a image/${facts.kind} image`
}

function checkDocument(source: JsonObject, place: string): string | undefined {
  const { type, data, media_type: mediaType } = source
  switch (type) {
    case "base64":
      if (mediaType !== "application/pdf") {
        return `${place}.base64.media_type: Input should be 'application/pdf'`
      }
      if (typeof data !== "string") return `${place}.base64.data: Field required`
      return Buffer.from(data.slice(0, 8), "base64").toString().startsWith("%PDF")
        ? undefined
        : `${place}.base64.data: The PDF specified was not valid.`
    case "text":
      if (mediaType !== "text/plain") {
        return `${place}.text.media_type: Input should be 'text/plain'`
      }
      return checkText(data, `${place}.text.data`)
    case "url":
      return checkText(source.url, `${place}.url.url`)
    case "file":
      return checkText(source.file_id, `${place}.file.file_id`)
    case "content":
      return undefined
    default:
      return sourceTag(type, place, "'base64', 'text', 'url', 'file', 'content'")
  }
}

function checkText(value: Json | undefined, place: string): string | undefined {
  return typeof value === "string" && value !== "" ? undefined : `${place}: Field required`
}

function sourceTag(type: Json | undefined, place: string, expected: string): string {
  return `${place}: Input tag '${stringOf(type)}' found using 'type' does not match any of the expected tags: ${expected}`
}
