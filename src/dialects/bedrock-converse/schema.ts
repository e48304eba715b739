import type { ChatRequest } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, type JsonValue, shown } from "../../canon/json.ts"
import {
  isObjectType,
  SCHEMA_MAPS,
  type SchemaFormat,
  unusedAnswerTool,
  VALUE_MEMBERS,
} from "../shared/schema.ts"
import { requiresCall } from "../shared/tools.ts"
import type { ModelFamily } from "./quirks.ts"

/** How a model is made to answer in JSON. */
export type JsonResponse =
  /** The model's text is constrained by the schema. */
  | { readonly way: "structured"; readonly format: SchemaFormat; readonly schema: JsonObject }
  /** The model must call a tool that has the schema. The arguments of the call are the response. */
  | {
      readonly way: "tool"
      readonly format: SchemaFormat
      readonly schema: JsonObject
      readonly tool: string
    }
  /** The model receives an instruction as text, which it may ignore. */
  | { readonly way: "instruction"; readonly schema?: JsonObject }

/**
 * Returns how the model is made to answer in JSON; undefined if no JSON is requested, or if a required tool call leaves
 * no response to format.
 */
export function jsonResponseOf(
  request: ChatRequest,
  family: ModelFamily,
): JsonResponse | undefined {
  const { responseFormat: format, tools = [] } = request
  if (format?.type === "json-object") return { way: "instruction" }
  if (format?.type !== "json-schema") return undefined
  const { schema } = format
  if (schema === undefined) return { way: "instruction" }
  if (family.structuredOutput && isStructuredSchema(schema)) {
    return { way: "structured", format, schema }
  }
  if (requiresCall(request.toolChoice)) return undefined
  if (family.toolChoice === "auto" || !isObjectSchema(schema)) {
    return { way: "instruction", schema }
  }
  return { way: "tool", format, schema, tool: unusedAnswerTool(tools) }
}

/** Returns the `outputConfig` of a request if the model supports schemas. */
export function encodeOutputConfig(response: JsonResponse | undefined): JsonObject | undefined {
  if (response?.way !== "structured") return undefined
  const { format, schema } = response
  const jsonSchema: JsonObject = { schema: JSON.stringify(schema), name: format.name }
  if (format.description) jsonSchema.description = format.description
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } }
}

/** Returns the instruction for the model, if neither a schema nor a tool is possible. */
export function jsonInstruction(response: JsonResponse | undefined): string | undefined {
  if (response?.way !== "instruction") return undefined
  const only = "Answer with one JSON object and nothing else: no remarks, no code fences."
  return response.schema === undefined
    ? only
    : `Answer with one JSON value and nothing else: no remarks, no code fences. It has to follow this JSON schema: ${JSON.stringify(response.schema)}`
}

/** Schema constraints that structured output rejects (recorded). */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maxItems",
  "maxLength",
  "maximum",
  "minLength",
  "minimum",
  "multipleOf",
])

/**
 * Whether structured output on Bedrock accepts a schema. Each object must be closed, and the schema may have no
 * constraints on numbers, lengths or counts, and no recursion. A definition that refers to another definition counts as
 * recursion, because references are not followed.
 */
export function isStructuredSchema(schema: JsonValue | undefined): boolean {
  return isSupported(schema, false)
}

/** Whether a schema describes an object, as a tool's arguments require. */
export function isObjectSchema(schema: JsonValue | undefined): boolean {
  return isJsonObject(schema) && schema.type === "object"
}

function isSupported(schema: JsonValue | undefined, isDefinition: boolean): boolean {
  if (Array.isArray(schema)) return schema.every((entry) => isSupported(entry, isDefinition))
  if (!isJsonObject(schema)) return true
  if (isObjectType(schema.type) && schema.additionalProperties !== false) return false
  return Object.entries(schema).every(([name, value]) => {
    if (VALUE_MEMBERS.has(name)) return true
    if (UNSUPPORTED.has(name)) return false
    if (name === "minItems") return value === 0 || value === 1
    if (name === "$ref") return !isDefinition && shown(value).startsWith("#/")
    if (!SCHEMA_MAPS.has(name) || !isJsonObject(value)) return isSupported(value, isDefinition)
    const isInside = isDefinition || name === "$defs" || name === "definitions"
    return Object.values(value).every((entry) => isSupported(entry, isInside))
  })
}
