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
import type { ModerationInput, ModerationPart, ModerationRequest } from "../../canon/moderation.ts"
import { parameterSchemas, validateParameters } from "../shared/parameters.ts"

/** The model of a request without one, as at OpenAI. */
const DEFAULT_MODEL = "omni-moderation-latest"

const OWN_FIELDS = new Set(["model", "input"])
const PARAMETERS = parameterSchemas(() => ({ model: z.string().nullish() }), { own: OWN_FIELDS })

const AN_INPUT = "one of a string, array of strings or array of objects"
const PART_TYPES = ["text", "image_url"]

/**
 * A moderation request in OpenAI's format, which Mistral shares (docs/wire/moderation.md#f1).
 * @throws GatewayError saying what is invalid, with OpenAI's messages.
 */
export function decodeModerationRequest(body: JsonObject): ModerationRequest {
  validateParameters(body, PARAMETERS)
  const { model } = body
  const extra = unknownFields(body, OWN_FIELDS)
  return {
    model: typeof model === "string" && model !== "" ? model : DEFAULT_MODEL,
    input: decodeInput(body.input),
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
  return { type: "parts", parts: value.map(partOf) }
}

function textOf(value: JsonValue, index: number): string {
  if (typeof value !== "string") throw invalidType(`input[${index}]`, "a string", value)
  return value
}

function partOf(value: JsonValue, index: number): ModerationPart {
  const name = `input[${index}]`
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
    `Invalid '${name}.image_url.url': it has to be a web address or a data URL.`,
  )
}
