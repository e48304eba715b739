import { invalid, type VendorError } from "../openai-chat/errors.ts"

/** Returns the error for a missing required parameter. */
export function missing(place: string): VendorError {
  const message = `Missing required parameter: '${place}'.`
  return invalid(message, place, "missing_required_parameter")
}

/** Returns the error for an unknown value. */
export function unsupported(
  value: string,
  place: string,
  supported: readonly string[],
): VendorError {
  const quoted = supported.map((one) => `'${one}'`)
  const list =
    quoted.length < 3
      ? quoted.join(" and ")
      : `${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1)}`
  const message = `Invalid value: '${value}'. Supported values are: ${list}.`
  return invalid(message, place, "invalid_value")
}

/** Returns the error for an unknown parameter. */
export function unknownParameter(place: string): VendorError {
  return invalid(`Unknown parameter: '${place}'.`, place, "unknown_parameter")
}

/** Returns the error for a value of the wrong type. */
export function wrongType(place: string, expected: string): VendorError {
  const message = `Invalid type for '${place}': expected ${expected}, but got something else instead.`
  return invalid(message, place, "invalid_type")
}
