import type { ResponseFormat } from "../../canon/chat.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import type { Tool } from "../../canon/tool.ts"

/** A format that follows a JSON schema. */
export type SchemaFormat = Extract<ResponseFormat, { type: "json-schema" }>

/** The tool that replaces a format if a vendor does not support one: its arguments are the answer. */
export const ANSWER_TOOL = "json_answer"

/** Returns a name for that tool that no other tool has. */
export function unusedAnswerTool(tools: readonly Tool[]): string {
  const names = new Set(tools.map(({ name }) => name))
  let name = ANSWER_TOOL
  while (names.has(name)) name += "_"
  return name
}

/** Members of a JSON schema that hold values, not schemas. */
export const VALUE_MEMBERS: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"])

/** Members of a JSON schema that hold schemas by name, where any name is possible: `enum`, `default`. */
export const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
])

/** Whether the `type` of a schema is an object, or a list of types with one. */
export function isObjectType(type: JsonValue | undefined): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object"))
}

/** The schema of an answer including its description, for vendors that have no other place for it. */
export function describedSchema({ schema, description }: SchemaFormat): JsonObject | undefined {
  if (schema === undefined || !description || schema.description !== undefined) return schema
  return { ...schema, description }
}
