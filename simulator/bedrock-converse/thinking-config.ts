import { objectOf, type JsonObject } from "../json.ts"

/**
 * Returns the thinking configuration, which is in one of two additional fields that the model itself reads (recorded).
 */
export function thinkingConfig(body: JsonObject): JsonObject {
  const { thinking, reasoning_config: reasoning } = objectOf(body.additionalModelRequestFields)
  return objectOf(thinking ?? reasoning)
}
