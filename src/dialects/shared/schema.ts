import type { ResponseFormat } from "../../canon/chat.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import type { Tool } from "../../canon/tool.ts"

/** A response format that follows a JSON schema. */
export type SchemaFormat = Extract<ResponseFormat, { type: "json-schema" }>

/**
 * The name of the tool that replaces a response format at vendors without one. The arguments of its call are the
 * response.
 */
export const ANSWER_TOOL = "json_answer"

/** Returns a name for the response tool that no other tool has. */
export function unusedAnswerTool(tools: readonly Tool[]): string {
  const names = new Set(tools.map(({ name }) => name))
  let name = ANSWER_TOOL
  while (names.has(name)) name += "_"
  return name
}

/** Members of a JSON schema that contain values, not schemas. */
export const VALUE_MEMBERS: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"])

/**
 * Members of a JSON schema that contain schemas by name. The names are arbitrary, so they may be `enum` or `default`.
 */
export const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
])

/** Whether the `type` of a schema is `object`, or a list of types that includes it. */
export function isObjectType(type: JsonValue | undefined): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object"))
}

/** Returns the schema of a response with its description, for vendors that have no other place for the description. */
export function describedSchema({ schema, description }: SchemaFormat): JsonObject | undefined {
  if (schema === undefined || !description || schema.description !== undefined) return schema
  return { ...schema, description }
}
