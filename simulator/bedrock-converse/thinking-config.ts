import { objectOf, type JsonObject } from "../json.ts"

/** How thinking is asked for: in the fields for the model, under either of two names; recorded. */
export function thinkingConfig(body: JsonObject): JsonObject {
  const { thinking, reasoning_config: reasoning } = objectOf(body.additionalModelRequestFields)
  return objectOf(thinking ?? reasoning)
}
