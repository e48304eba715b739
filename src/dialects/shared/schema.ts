import type { ResponseFormat } from "../../canon/chat.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"

/** A format that follows a JSON schema. */
export type SchemaFormat = Extract<ResponseFormat, { type: "json-schema" }>

/** The tool that stands in for a format where a vendor has none: its arguments are the answer. */
export const ANSWER_TOOL = "json_answer"

/** Members of a JSON schema that hold values and no schemas. */
export const VALUE_MEMBERS: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"])

/** Members of a JSON schema that hold schemas by name, and the name can be anything: `enum`, `default`. */
export const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
])

/** Whether the `type` of a schema is an object, or several types of which one is. */
export function isObjectType(type: JsonValue | undefined): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object"))
}

/** The schema of an answer with its description inside, for vendors that have no other place for it. */
export function describedSchema({ schema, description }: SchemaFormat): JsonObject | undefined {
  if (schema === undefined || !description || schema.description !== undefined) return schema
  return { ...schema, description }
}
