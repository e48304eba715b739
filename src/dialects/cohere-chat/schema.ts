import { assertNever } from "../../canon/assert-never.ts"
import type { ResponseFormat } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { LossList } from "../shared/losses.ts"
import { describedSchema } from "../shared/schema.ts"

interface EncodedFormat {
  /** The value of `response_format`. */
  readonly field?: JsonObject
  /** The instruction that replaces the field if Cohere does not accept it. */
  readonly instruction?: string
}

/**
 * Encodes the format of the answer. Cohere's field is `{type: "json_object", json_schema?}`. Cohere does not accept it
 * together with tools (Cohere's reference for `/v2/chat`), so in that case, an instruction replaces the field.
 */
export function encodeFormat(
  format: ResponseFormat | undefined,
  hasTools: boolean,
  losses: LossList,
): EncodedFormat {
  switch (format?.type) {
    case undefined:
    case "text":
      return {}
    case "json-object":
      if (!hasTools) return { field: { type: "json_object" } }
      losses.add("json_object", "approximated")
      return { instruction: instructionFor(undefined) }
    case "json-schema": {
      const schema = describedSchema(format)
      if (!hasTools) return { field: { type: "json_object", ...asSchemaField(schema) } }
      losses.add("json_schema", "approximated")
      return { instruction: instructionFor(schema) }
    }
    default:
      return assertNever(format)
  }
}

function asSchemaField(schema: JsonObject | undefined): JsonObject {
  return schema === undefined ? {} : { json_schema: schema }
}

function instructionFor(schema: JsonObject | undefined): string {
  const words =
    "When you answer without calling a tool, answer with one JSON object and nothing else."
  if (schema === undefined) return words
  return `${words} It follows this JSON schema: ${JSON.stringify(schema)}`
}
