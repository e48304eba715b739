import type { core } from "zod"
import { GatewayError } from "./errors.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"

/** The longest chunk of a caller's value that is repeated to the caller. */
const LONGEST_QUOTE = 200

/** Marks a schema's own description of what it accepts; see `expects`. */
const EXPECTED = "expected "

/**
 * What is invalid in a request, in the words of OpenAI's API as recorded.
 *
 * @param error issues of a zod schema; the first one is reported, and inside a union that of the branch that
 * matched furthest, because it is the form that the caller meant.
 * @param body what was parsed, to describe the value that was given.
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
 * The error option of a schema: its description of what it accepts, with the article, such as `an integer`.
 * OpenAI names the type of a parameter, which zod's issues do not contain.
 */
export function expects(words: string): { error: () => string } {
  const message = EXPECTED + words
  return { error: () => message }
}

/** `messages[0].content[1].type` */
export function pathName(path: readonly PropertyKey[]): string {
  let name = ""
  for (const step of path) {
    if (typeof step === "number") name += `[${step}]`
    else name += name === "" ? String(step) : `.${String(step)}`
  }
  return name
}

/** A required parameter is missing. */
export function missingParameter(name: string): GatewayError {
  return new GatewayError("missing_required_parameter", `Missing required parameter: '${name}'.`, {
    parameter: name,
  })
}

/** @param expected with its article: `a string`, `one of a string or array of objects`. */
export function invalidType(name: string, expected: string, value: unknown): GatewayError {
  return new GatewayError(
    "invalid_type",
    `Invalid type for '${name}': expected ${expected}, but got ${typeWords(value)} instead.`,
    { parameter: name },
  )
}

/** A value that is not one of the known ones. */
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

/** A value whose problem needs a sentence. */
export function invalidValue(name: string, message: string): GatewayError {
  return new GatewayError("invalid_value", message, { parameter: name })
}

/** An array that must have elements has none. */
export function emptyArray(name: string): GatewayError {
  return invalidValue(
    name,
    `Invalid '${name}': empty array. Expected an array with minimum length 1, ` +
      "but got an empty array instead.",
  )
}

/** The type of a value in the words of OpenAI's errors. */
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

/** A branch that accepted the type but not the value is closer than one that refused the type. */
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

/** An integer so large that it is no number of JavaScript: every parameter with bounds has smaller ones. */
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
  return value.length <= LONGEST_QUOTE ? value : `${value.slice(0, LONGEST_QUOTE)}...`
}

/** `'a', 'b', and 'c'`; two are joined without a comma. */
function list(values: readonly string[], joiner: "and" | "or"): string {
  const quoted = values.map((value) => `'${value}'`)
  const last = quoted.pop() ?? ""
  if (quoted.length === 0) return last
  if (quoted.length === 1) return `${quoted[0]} ${joiner} ${last}`
  return `${quoted.join(", ")}, ${joiner} ${last}`
}
