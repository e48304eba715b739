import type { ChatRequest, ResponseFormat } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { ModelFamily } from "./families.ts"
import { isObjectSchema, isStructuredSchema } from "./schema.ts"

type SchemaFormat = Extract<ResponseFormat, { type: "json-schema" }>

/** How an answer in JSON is got out of a model. */
export type JsonAnswer =
  /** The model holds its text to the schema. */
  | { readonly way: "structured"; readonly format: SchemaFormat; readonly schema: JsonObject }
  /** The model has to call a tool with the schema; its arguments are the answer. */
  | {
      readonly way: "tool"
      readonly format: SchemaFormat
      readonly schema: JsonObject
      readonly tool: string
    }
  /** The model is told, and may not listen. */
  | { readonly way: "instruction"; readonly schema?: JsonObject }

const TOOL = "json_answer"

/**
 * The way for a request; the decoders of its answer find the same. Undefined: no JSON is asked for, or a
 * call of a tool is demanded, which leaves no answer to format.
 */
export function jsonAnswerOf(request: ChatRequest, family: ModelFamily): JsonAnswer | undefined {
  const { responseFormat: format, tools = [] } = request
  if (format?.type === "json-object") return { way: "instruction" }
  if (format?.type !== "json-schema") return undefined
  const { schema } = format
  if (schema === undefined) return { way: "instruction" }
  if (family.structuredOutput && isStructuredSchema(schema)) {
    return { way: "structured", format, schema }
  }
  if (demandsCall(request)) return undefined
  if (family.toolChoice === "auto" || !isObjectSchema(schema)) {
    return { way: "instruction", schema }
  }
  let tool = TOOL
  while (tools.some(({ name }) => name === tool)) tool += "_"
  return { way: "tool", format, schema, tool }
}

/** `outputConfig` of a request, where the model holds itself to a schema. */
export function encodeOutputConfig(answer: JsonAnswer | undefined): JsonObject | undefined {
  if (answer?.way !== "structured") return undefined
  const { format, schema } = answer
  const jsonSchema: JsonObject = { schema: JSON.stringify(schema), name: format.name }
  if (format.description) jsonSchema.description = format.description
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } }
}

/** What the model is told where nothing but words is left. */
export function jsonInstruction(answer: JsonAnswer | undefined): string | undefined {
  if (answer?.way !== "instruction") return undefined
  const only = "Answer with one JSON object and nothing else: no remarks, no code fences."
  return answer.schema === undefined
    ? only
    : `Answer with one JSON value and nothing else: no remarks, no code fences. It has to follow this JSON schema: ${JSON.stringify(answer.schema)}`
}

function demandsCall({ toolChoice }: ChatRequest): boolean {
  return toolChoice?.type === "required" || toolChoice?.type === "tool"
}
