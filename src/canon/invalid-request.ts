import type { core } from "zod"
import { GatewayError } from "./errors.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"

const MAX_QUOTE_LENGTH = 200

/** The prefix of a schema's own description of valid values; see `expects`. */
const EXPECTED = "expected "

/**
 * Returns the error of an invalid request, with the messages recorded from OpenAI's API.
 *
 * @param error issues of a zod schema. The first one is reported. Inside a union, it is the issue
 * of the branch that matched furthest, because the caller most likely meant that form.
 * @param body the parsed value, which the message describes.
 */
export function invalidRequest(
  error: { readonly issues: readonly core.$ZodIssue[] },
  body: JsonValue,
): GatewayError {
  const found = furthestIssue(error.issues, [])
  if (found === undefined) return new GatewayError("invalid_value", "The request is not valid.")
  const name = pathName(found.path)
  const value = valueAt(body, found.path)
  return describeIssue(found.issue, name, value)
}

/**
 * Returns an error option for a schema with its description of valid values, such as `an integer`. OpenAI's errors name
 * the type of a parameter, which zod's issues do not contain.
 */
export function expects(words: string): { error: () => string } {
  const message = EXPECTED + words
  return { error: () => message }
}

/** Formats a path, for example as `messages[0].content[1].type`. */
export function pathName(path: readonly PropertyKey[]): string {
  let name = ""
  for (const step of path) {
    if (typeof step === "number") name += `[${step}]`
    else name += name === "" ? String(step) : `.${String(step)}`
  }
  return name
}

export function missingParameter(name: string): GatewayError {
  return new GatewayError("missing_required_parameter", `Missing required parameter: '${name}'.`, {
    parameter: name,
  })
}

/**
 * Returns the error for a value of the wrong type.
 * @param expected the expected type with its article, such as `a string`.
 */
export function invalidType(name: string, expected: string, value: unknown): GatewayError {
  return new GatewayError(
    "invalid_type",
    `Invalid type for '${name}': expected ${expected}, but got ${typeWords(value)} instead.`,
    { parameter: name },
  )
}

/** Returns the error for a value outside of a known set. */
export function unsupportedValue(
  name: string,
  value: string,
  supported: readonly string[],
): GatewayError {
  return new GatewayError(
    "invalid_value",
    `Invalid value: '${quote(value)}'. Supported values are: ${list(supported, "and")}.`,
    { parameter: name },
  )
}

/** Returns the error for a value that needs an explanation. */
export function invalidValue(name: string, message: string): GatewayError {
  return new GatewayError("invalid_value", message, { parameter: name })
}

/** Returns the error for an empty array that must have elements. */
export function emptyArray(name: string): GatewayError {
  return invalidValue(
    name,
    `Invalid '${name}': empty array. Expected an array with minimum length 1, ` +
      "but got an empty array instead.",
  )
}

/** Returns the type of a value as OpenAI's errors name it. */
export function typeWords(value: unknown): string {
  if (value === null || value === undefined) return "null"
  if (Array.isArray(value)) return "an array"
  switch (typeof value) {
    case "string":
      return "a string"
    case "boolean":
      return "a boolean"
    case "bigint":
      return "an integer"
    case "number":
      return Number.isInteger(value) ? "an integer" : "a decimal number"
    default:
      return "an object"
  }
}

interface FoundIssue {
  readonly issue: core.$ZodIssue
  readonly path: readonly PropertyKey[]
}

function furthestIssue(
  issues: readonly core.$ZodIssue[],
  above: readonly PropertyKey[],
): FoundIssue | undefined {
  const issue = issues[0]
  if (issue === undefined) return undefined
  const path = [...above, ...issue.path]
  if (issue.code !== "invalid_union") return { issue, path }
  let best: FoundIssue = { issue, path }
  for (const branch of issue.errors) {
    const found = furthestIssue(branch, path)
    if (found !== undefined && (found.path.length > best.path.length || isCloser(found, best))) {
      best = found
    }
  }
  return best
}

/**
 * Reports whether an issue is closer than the best one so far. An accepted type with a rejected value is closer than a
 * rejected type.
 */
function isCloser(found: FoundIssue, best: FoundIssue): boolean {
  if (found.path.length < best.path.length || best.issue.code !== "invalid_union") return false
  return found.issue.code !== "invalid_type"
}

function describeIssue(issue: core.$ZodIssue, name: string, value: unknown): GatewayError {
  if (value === undefined && issue.code !== "custom") return missingParameter(name)
  switch (issue.code) {
    case "invalid_type":
      if (typeof value === "bigint") return beyondDoubles(issue, name, value)
      return invalidType(name, expectedWords(issue), value)
    case "invalid_union":
      return invalidType(name, ownWords(issue) ?? "another type", value)
    case "invalid_value":
      return describeChoice(issue.values.map(String), name, value)
    case "too_big":
      return outOfRange(issue, { name, value, limit: issue.maximum, above: true })
    case "too_small":
      return outOfRange(issue, { name, value, limit: issue.minimum, above: false })
    case "not_multiple_of":
      return invalidType(name, ownWords(issue) ?? "an integer", value)
    default:
      return invalidValue(name, issue.message)
  }
}

function describeChoice(values: readonly string[], name: string, value: unknown): GatewayError {
  if (typeof value === "string") return unsupportedValue(name, value, values)
  return invalidType(name, `one of ${list(values, "or")}`, value)
}

function ownWords(issue: core.$ZodIssue): string | undefined {
  return issue.message.startsWith(EXPECTED) ? issue.message.slice(EXPECTED.length) : undefined
}

function expectedWords(issue: core.$ZodIssueInvalidType): string {
  const own = ownWords(issue)
  if (own !== undefined) return own
  switch (issue.expected) {
    case "int":
      return "an integer"
    case "number":
      return "a decimal"
    case "array":
      return "an array"
    case "object":
    case "record":
      return "an object"
    default:
      return `a ${issue.expected}`
  }
}

interface Range {
  readonly name: string
  readonly value: unknown
  readonly limit: number | bigint
  readonly above: boolean
}

/**
 * Returns the error for an integer that JavaScript numbers cannot represent. The bounds of all parameters are smaller.
 */
function beyondDoubles(issue: core.$ZodIssue, name: string, value: bigint): GatewayError {
  const above = value > 0n
  const limit = above ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER
  return outOfRange(issue, { name, value, limit, above })
}

function outOfRange(issue: core.$ZodIssue, range: Range): GatewayError {
  const { name, value, limit, above } = range
  const parameter = { parameter: name }
  if (typeof value === "number" || typeof value === "bigint") {
    const noun = ownWords(issue) === "an integer" ? "integer" : "decimal"
    const words = above ? `${noun} above maximum value` : `${noun} below minimum value`
    const message =
      `Invalid '${name}': ${words}. ` +
      `Expected a value ${above ? "<=" : ">="} ${limit}, but got ${value} instead.`
    return new GatewayError(above ? "above_max_value" : "below_min_value", message, parameter)
  }
  if (Array.isArray(value) && value.length === 0) return emptyArray(name)
  const noun = typeof value === "string" ? "string" : "array"
  const article = noun === "string" ? "a" : "an"
  const length = typeof value === "string" || Array.isArray(value) ? value.length : 0
  const message =
    `Invalid '${name}': ${noun} too ${above ? "long" : "short"}. ` +
    `Expected ${article} ${noun} with ${above ? "maximum" : "minimum"} length ${limit}, ` +
    `but got ${article} ${noun} with length ${length} instead.`
  const kind = noun === "string" && above ? "string_above_max_length" : "invalid_value"
  return new GatewayError(kind, message, parameter)
}

function valueAt(body: JsonValue, path: readonly PropertyKey[]): unknown {
  let value: JsonValue | undefined = body
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)]
    else if (isJsonObject(value)) value = ownValue(value, String(step))
    else return undefined
  }
  return value
}

function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function quote(value: string): string {
  return value.length <= MAX_QUOTE_LENGTH ? value : `${value.slice(0, MAX_QUOTE_LENGTH)}...`
}

/** Formats a list as `'a', 'b', and 'c'`. Two values are joined without a comma. */
function list(values: readonly string[], joiner: "and" | "or"): string {
  const quoted = values.map((value) => `'${value}'`)
  const last = quoted.pop() ?? ""
  if (quoted.length === 0) return last
  if (quoted.length === 1) return `${quoted[0]} ${joiner} ${last}`
  return `${quoted.join(", ")}, ${joiner} ${last}`
}
