import type { ResponseFormat } from "./chat.ts"
import type { JsonObject } from "./json.ts"

type SchemaFormat = Extract<ResponseFormat, { type: "json-schema" }>

/** The schema of an answer with its description inside, for vendors that have no other place for it. */
export function describedSchema({ schema, description }: SchemaFormat): JsonObject | undefined {
  if (schema === undefined || !description || schema.description !== undefined) return schema
  return { ...schema, description }
}
