import { objectOf, type JsonObject } from "../json.ts"

/** Returns the thinking configuration: a field for the model, under either of two names; recorded. */
export function thinkingConfig(body: JsonObject): JsonObject {
  const { thinking, reasoning_config: reasoning } = objectOf(body.additionalModelRequestFields)
  return objectOf(thinking ?? reasoning)
}
