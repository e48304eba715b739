import { invalidType, missingParameter } from "../../canon/invalid-request.ts"
import { isJsonObject, isDefined, type JsonObject, type JsonValue } from "../../canon/json.ts"

/**
 * Returns the error for a member that is missing or of the wrong type.
 * @param expected the expected type with its article, such as `a string`.
 */
export function wrongMember(value: JsonValue | undefined, name: string, expected: string): Error {
  return value === undefined ? missingParameter(name) : invalidType(name, expected, value)
}

/**
 * Returns text that must be present but may be empty.
 * @param place path of the object, for errors.
 * @throws GatewayError `missing_required_parameter` or `invalid_type`.
 */
export function requiredText(object: JsonObject, key: string, place: string): string {
  const value = object[key]
  if (typeof value === "string") return value
  throw wrongMember(value, `${place}.${key}`, "a string")
}

/** Returns text, or undefined if it is missing or null. @throws GatewayError `invalid_type`. */
export function optionalText(object: JsonObject, key: string, place: string): string | undefined {
  const value = object[key]
  if (typeof value === "string") return value
  if (isDefined(value)) throw invalidType(`${place}.${key}`, "a string", value)
  return undefined
}

/** Returns an object, or undefined if it is missing or null. @throws GatewayError `invalid_type`. */
export function optionalObject(
  object: JsonObject,
  key: string,
  place: string,
): JsonObject | undefined {
  const value = object[key]
  if (isJsonObject(value)) return value
  if (isDefined(value)) throw invalidType(`${place}.${key}`, "an object", value)
  return undefined
}

/** Returns a boolean, or undefined if it is missing or null. @throws GatewayError `invalid_type`. */
export function optionalFlag(object: JsonObject, key: string, place: string): boolean | undefined {
  const value = object[key]
  if (typeof value === "boolean") return value
  if (isDefined(value)) throw invalidType(`${place}.${key}`, "a boolean", value)
  return undefined
}
