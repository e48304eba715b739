import type { JsonObject, JsonValue } from "../../canon/json.ts"

/** Sets a member where there is a value. */
export function setDefined(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value !== undefined) object[name] = value
}
