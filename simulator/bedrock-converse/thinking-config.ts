import { objectOf, type JsonObject } from "../json.ts"

/** Returns the thinking configuration. It is in a field for the model that has one of two names (recorded). */
export function thinkingConfig(body: JsonObject): JsonObject {
  const { thinking, reasoning_config: reasoning } = objectOf(body.additionalModelRequestFields)
  return objectOf(thinking ?? reasoning)
}
