import type { ChatRequest } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import {
  ANSWER_TOOL,
  describedSchema,
  isObjectType,
  SCHEMA_MAPS,
  type SchemaFormat,
  VALUE_MEMBERS,
} from "../shared/schema.ts"
import type { AnthropicQuirks } from "./quirks.ts"

/** The instruction to answer with any JSON object. This dialect has no option for it. */
const JSON_INSTRUCTION =
  "Answer with one JSON object and nothing else: no words around it and no code fence."

/**
 * Whether the response is sent as the arguments of the response tool.
 * @param quirks the quirks of the request's model.
 */
export function answersByTool(
  request: ChatRequest,
  quirks: AnthropicQuirks,
): request is ChatRequest & { responseFormat: SchemaFormat } {
  const { responseFormat: format } = request
  return format?.type === "json-schema" && isObjectSchema(format) && !quirks.structuredOutput
}

/**
 * Returns an instruction for the model if the vendor has no option for a format and a tool cannot replace the format.
 * @param quirks the quirks of the request's model.
 */
export function jsonInstruction(
  { responseFormat: format }: ChatRequest,
  quirks: AnthropicQuirks,
): string | undefined {
  if (format?.type === "json-object") return JSON_INSTRUCTION
  if (format?.type !== "json-schema" || quirks.structuredOutput) return undefined
  if (isObjectSchema(format)) return undefined
  return `Answer with one JSON value and nothing else: no words around it and no code fence. It has to follow this JSON schema: ${JSON.stringify(describedSchema(format))}`
}

/**
 * Whether a format describes an object, which a tool's input requires (docs/contribute/wire/anthropic-messages.md#f2).
 */
function isObjectSchema({ schema }: SchemaFormat): boolean {
  return schema?.type === undefined || schema.type === "object"
}

export function answerTool({ schema, description }: SchemaFormat): JsonObject {
  return {
    name: ANSWER_TOOL,
    description: description ?? "Gives the answer. Call it once, with the whole answer.",
    input_schema: { type: "object", ...schema },
  }
}

/**
 * Returns a schema whose objects allow no additional members, as Anthropic requires. Every value that is valid for it
 * is also valid for the original schema.
 */
export function closedSchema(schema: JsonObject): JsonObject {
  const closed = mapMembers(schema, (member, name) => {
    if (VALUE_MEMBERS.has(name)) return member
    return SCHEMA_MAPS.has(name) && isJsonObject(member)
      ? mapMembers(member, (schemaOfName) => closedMember(schemaOfName))
      : closedMember(member)
  })
  if (isObjectType(schema.type) && schema.additionalProperties === undefined) {
    closed.additionalProperties = false
  }
  return closed
}

function closedMember(member: JsonValue): JsonValue {
  if (Array.isArray(member)) return member.map((item) => closedMember(item))
  return isJsonObject(member) ? closedSchema(member) : member
}

function mapMembers(
  object: JsonObject,
  mapped: (member: JsonValue, name: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [name, mapped(member ?? null, name)]),
  )
}
