import * as z from "zod"
import {
  emptyArray,
  invalidType,
  invalidValue,
  missingParameter,
  unsupportedValue,
} from "../../canon/invalid-request.ts"
import {
  isDefined,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  shown,
  unknownFields,
} from "../../canon/json.ts"
import { isDataUrl, isWebUrl } from "../../canon/media-source.ts"
import type {
  ModerationInput,
  ModerationMessage,
  ModerationPart,
  ModerationRequest,
} from "../../canon/moderation.ts"
import { parameterSchemas, validateParameters } from "../shared/parameters.ts"

/** The model for requests without `model`. OpenAI has the same default. */
const DEFAULT_MODEL = "omni-moderation-latest"

const OWN_FIELDS = new Set(["model", "input"])
const MESSAGE_FIELDS = new Set(["role", "content"])
const PARAMETERS = parameterSchemas(() => ({ model: z.string().nullish() }), { own: OWN_FIELDS })

const AN_INPUT = "one of a string, array of strings or array of objects"
const PART_TYPES = ["text", "image_url"]

/**
 * Decodes a moderation request in OpenAI's format, which Mistral shares (docs/contribute/wire/moderation.md#f1).
 * @throws GatewayError with OpenAI's message for the invalid field.
 */
export function decodeModerationRequest(body: JsonObject): ModerationRequest {
  return decodeRequest(body, decodeInput)
}

/**
 * Decodes a request to classify conversations, in Mistral's format (docs/contribute/wire/moderation.md#f3).
 * @throws GatewayError that names the invalid field.
 */
export function decodeChatModerationRequest(body: JsonObject): ModerationRequest {
  return decodeRequest(body, decodeConversations)
}

function decodeRequest(
  body: JsonObject,
  decode: (input: JsonValue | undefined) => ModerationInput,
): ModerationRequest {
  validateParameters(body, PARAMETERS)
  const { model } = body
  const extra = unknownFields(body, OWN_FIELDS)
  return {
    model: typeof model === "string" && model !== "" ? model : DEFAULT_MODEL,
    input: decode(body.input),
    ...(extra !== undefined && { extra }),
  }
}

function decodeInput(value: JsonValue | undefined): ModerationInput {
  if (!isDefined(value)) throw missingParameter("input")
  if (typeof value === "string") return { type: "texts", texts: [value] }
  if (!Array.isArray(value)) throw invalidType("input", AN_INPUT, value)
  const [first] = value
  if (first === undefined) throw emptyArray("input")
  if (typeof first === "string") return { type: "texts", texts: value.map(textOf) }
  if (!isJsonObject(first)) throw invalidType("input[0]", "one of a string or object", first)
  return { type: "parts", parts: value.map((part, index) => partOf(part, `input[${index}]`)) }
}

/** Decodes one conversation, or a list of conversations. */
function decodeConversations(value: JsonValue | undefined): ModerationInput {
  if (!isDefined(value)) throw missingParameter("input")
  if (!Array.isArray(value)) throw invalidType("input", "an array of messages", value)
  const [first] = value
  if (first === undefined) throw emptyArray("input")
  const conversations = Array.isArray(first)
    ? value.map((messages, index) => messagesOf(messages, `input[${index}]`))
    : [messagesOf(value, "input")]
  return { type: "conversations", conversations }
}

function messagesOf(value: JsonValue, name: string): readonly ModerationMessage[] {
  if (!Array.isArray(value)) throw invalidType(name, "an array of messages", value)
  if (value.length === 0) throw emptyArray(name)
  return value.map((message, index) => messageOf(message, `${name}[${index}]`))
}

function messageOf(value: JsonValue, name: string): ModerationMessage {
  if (!isJsonObject(value)) throw invalidType(name, "an object", value)
  const { role, content } = value
  if (!isDefined(role)) throw missingParameter(`${name}.role`)
  if (typeof role !== "string") throw invalidType(`${name}.role`, "a string", role)
  const extra = unknownFields(value, MESSAGE_FIELDS)
  const parts = contentOf(content, `${name}.content`)
  return { role, parts, ...(extra !== undefined && { extra }) }
}

/** Decodes the content of a message. A message with tool calls may have no content. */
function contentOf(content: JsonValue | undefined, name: string): readonly ModerationPart[] {
  if (!isDefined(content)) return []
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (Array.isArray(content)) return content.map((part, index) => partOf(part, `${name}[${index}]`))
  throw invalidType(name, "one of a string or array of objects", content)
}

function textOf(value: JsonValue, index: number): string {
  if (typeof value !== "string") throw invalidType(`input[${index}]`, "a string", value)
  return value
}

function partOf(value: JsonValue, name: string): ModerationPart {
  if (!isJsonObject(value)) throw invalidType(name, "an object", value)
  const { type, text } = value
  if (type === "text") {
    if (typeof text !== "string") throw invalidType(`${name}.text`, "a string", text)
    return { type, text }
  }
  if (type === "image_url") return { type: "image", url: imageUrl(value, name) }
  if (!isDefined(type)) throw missingParameter(`${name}.type`)
  throw unsupportedValue(`${name}.type`, shown(type), PART_TYPES)
}

function imageUrl(part: JsonObject, name: string): string {
  const url = objectAt(part, "image_url")?.url
  if (!isDefined(url)) throw missingParameter(`${name}.image_url.url`)
  if (typeof url !== "string") throw invalidType(`${name}.image_url.url`, "a string", url)
  if (isWebUrl(url) || isDataUrl(url)) return url
  throw invalidValue(
    `${name}.image_url.url`,
    `Invalid '${name}.image_url.url': it must be an HTTP URL or a data URL.`,
  )
}
