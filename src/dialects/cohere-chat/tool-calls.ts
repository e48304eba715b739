import type { JsonValue } from "../../canon/json.ts"

/** What Cohere was recorded to write as the arguments of a tool that has none. */
export const NO_ARGUMENTS = "null"

/** Arguments as JSON text: `{}` for none, which Cohere writes as nothing or as `null` (trap 7). */
export function argumentsText(value: JsonValue | undefined): string {
  return typeof value === "string" && value !== "" && value !== NO_ARGUMENTS ? value : "{}"
}
