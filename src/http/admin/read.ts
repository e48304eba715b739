import * as z from "zod"
import { type ErrorKind, GatewayError } from "../../canon/errors.ts"
import { pathName } from "../../canon/invalid-request.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import { isStorableText } from "../../canon/storable-text.ts"
import { isNothing } from "#contract/route.ts"
import { readJsonBody } from "../read-body.ts"

/** Limits for bodies. Input from people is smaller. */
const READING = { limit: 256 * 1024, maxValues: 20_000 }
/** Maximum reported faults. Forms have fewer fields. */
const MAX_FAULTS = 50
/** Matches the beginning of error texts that the contract defines. */
const OWN_WORDS = /^(must|needs|has to)\b/

/**
 * Reads the body of a request by its schema. A missing body counts as an empty object.
 * @throws GatewayError for the first fault; `errors` contains all faults, so that a form can show each fault next to
 *   its field.
 */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  if (isNothing(schema)) return schema.parse(undefined)
  const isEmpty = request.body === null || request.headers.get("content-length") === "0"
  const body = isEmpty ? {} : (await readJsonBody(request, READING)).json
  return check(schema, body)
}

/**
 * Reads the query parameters by their schema. Empty parameters count as absent.
 * @throws GatewayError as in `readBody`.
 */
export function readQuery<Schema extends z.ZodType>(url: URL, schema: Schema): z.output<Schema> {
  if (isNothing(schema)) return schema.parse(undefined)
  const values = new Map<string, string>()
  for (const [name, value] of url.searchParams) {
    if (value === "") continue
    if (values.has(name)) {
      throw new GatewayError("invalid_value", `'${shown(name)}' was given more than once.`, {
        parameter: shown(name),
      })
    }
    values.set(name, value)
  }
  return check(schema, Object.fromEntries(values))
}

/**
 * Validates a value by its schema.
 * @throws GatewayError as in `readBody`.
 */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: JsonObject,
): z.output<Schema> {
  const unstorable = unstorableMembers(value)
  if (unstorable.length > 0) throw rejectionOf(unstorable)
  const { success, data, error } = schema.safeParse(value, { reportInput: true })
  const unknown = unknownMembers(schema, value)
  if (success && unknown.length === 0) return data
  throw rejectionOf([...(error?.issues.flatMap(faultsOf) ?? []), ...unknown])
}

/** A value in a body and its position. */
interface Place {
  readonly value: JsonValue | undefined
  readonly member: string | number
  readonly parent: Place | undefined
}

/** Finds members with a name or text that a database may reject. */
function unstorableMembers(body: JsonObject): Fault[] {
  const faults: Fault[] = []
  const left: Place[] = [{ value: body, member: "", parent: undefined }]
  for (let place = left.pop(); place && faults.length < MAX_FAULTS; place = left.pop()) {
    const { value, member } = place
    if (typeof member === "string" && !isStorableText(member)) {
      if (place.parent) faults.push(unstorable(shown(pathName(pathOf(place.parent)))))
      continue
    }
    if (typeof value === "string") {
      if (!isStorableText(value)) faults.push(unstorable(shown(pathName(pathOf(place)))))
    } else if (Array.isArray(value)) {
      for (const [index, inner] of value.entries()) {
        left.push({ value: inner, member: index, parent: place })
      }
    } else if (typeof value === "object" && value !== null) {
      for (const name in value) left.push({ value: value[name], member: name, parent: place })
    }
  }
  return faults
}

/** Returns the path of a value. Paths are only built for faults, because a body may have thousands of values. */
function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = []
  for (let at = place; at.parent; at = at.parent) path.push(at.member)
  return path.toReversed()
}

function unstorable(name: string): Fault {
  const words = "must not contain NUL characters or unpaired surrogates"
  return { kind: "invalid_value", name, words }
}

/**
 * Validates a decoded part of a path.
 * @throws GatewayError as in `readBody`.
 */
export function checkedPart(name: string, text: string): string {
  if (!isStorableText(text)) throw rejectionOf([unstorable(name)])
  return text
}

/** Finds members that are not in the schema, unless the schema allows additional members. */
function unknownMembers(schema: z.ZodType, value: JsonObject): Fault[] {
  if (!(schema instanceof z.ZodObject) || schema.def.catchall !== undefined) return []
  const names = Object.keys(value).filter((name) => !Object.hasOwn(schema.shape, name))
  return names.map((name) => unknownMember(shown(name)))
}

interface Fault {
  readonly kind: ErrorKind
  readonly name: string
  /** The description of the fault as a continuation of the field's name: `must not be empty`. */
  readonly words: string
}

function rejectionOf(faults: readonly Fault[]): GatewayError {
  const reported = faults.slice(0, MAX_FAULTS)
  const [first] = reported
  if (!first) return new GatewayError("invalid_value", "The request is not valid.")
  return new GatewayError(first.kind, `${subject(first)} ${first.words}.`, {
    ...(first.name !== "" && { parameter: first.name }),
    fields: {
      errors: reported.map(({ name, words }) => ({
        param: name === "" ? null : name,
        message: `${words.charAt(0).toUpperCase()}${words.slice(1)}.`,
      })),
    },
  })
}

function subject({ name }: Fault): string {
  return name === "" ? "The request" : `'${name}'`
}

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  const name = shown(pathName(issue.path))
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownMember(shown(name === "" ? key : `${name}.${key}`)))
  }
  return [{ name, ...validate(issue) }]
}

function unknownMember(name: string): Fault {
  return {
    kind: "invalid_value",
    name,
    words: "is unknown: check its spelling or omit it",
  }
}

function validate(issue: z.core.$ZodIssue): Omit<Fault, "name"> {
  const { message } = issue
  if (issue.input === undefined && issue.code !== "custom") {
    return { kind: "missing_required_parameter", words: "is missing" }
  }
  const own = OWN_WORDS.test(message) ? message : undefined
  switch (issue.code) {
    case "invalid_type":
      return { kind: "invalid_type", words: own ?? `must be ${typeWords(issue.expected)}` }
    case "too_big":
    case "too_small":
      return validateRange(issue, own)
    case "invalid_value":
      return { kind: "invalid_value", words: own ?? `must be ${choice(issue.values.map(String))}` }
    case "invalid_format":
      return { kind: "invalid_value", words: own ?? `must be ${formatWords(issue.format)}` }
    default:
      return { kind: "invalid_value", words: own ?? `is not valid: ${message}` }
  }
}

function validateRange(
  issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall,
  own: string | undefined,
): Omit<Fault, "name"> {
  const isAbove = issue.code === "too_big"
  const limit = isAbove ? issue.maximum : issue.minimum
  const side = isAbove ? "at most" : "at least"
  switch (issue.origin) {
    case "string":
      return {
        kind: isAbove ? "string_above_max_length" : "invalid_value",
        words: own ?? `must have ${side} ${limit} characters`,
      }
    case "array":
      return { kind: "invalid_value", words: own ?? `must have ${side} ${limit} entries` }
    default:
      return {
        kind: isAbove ? "above_max_value" : "below_min_value",
        words: own ?? `must be ${side} ${limit}`,
      }
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
}

function typeWords(expected: string): string {
  return TYPE_WORDS[expected] ?? `of type ${expected}`
}

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  datetime: "a moment in UTC, such as 2026-01-31T12:00:00Z",
  date: "a day, such as 2026-01-31",
  email: "an email address",
  url: "an address, such as https://example.com",
}

function formatWords(format: string): string {
  return FORMAT_WORDS[format] ?? "written differently"
}

function choice(values: readonly string[]): string {
  const [only, ...others] = values.map((value) => `'${value}'`)
  return others.length === 0 ? `${only}` : `one of ${[only, ...others].join(", ")}`
}

/** Shortens a name for an error message, because clients choose the names. */
function shown(name: string): string {
  return name.slice(0, 100)
}
