import { MAX_OBJECT_MEMBERS } from "#contract/request-limits.ts"
import { isDeeperThan, JsonScanner } from "./json-structure.ts"

/** Any value that JSON can carry. An integer of up to 80 digits is a bigint if a double cannot represent it. */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | JsonObject

/** A JSON object, such as a request body before its dialect has decoded it. */
export interface JsonObject {
  [key: string]: JsonValue | undefined
}

/** Reports whether a value is an object, excluding arrays and null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/**
 * Matches an integer of at least 16 digits. Smaller integers are below 2^53 and therefore exact. Text in a string can
 * match too, but quoted ids do not.
 */
const LONG_INTEGER = /(?:^|[:,[\s-])\d{16,80}(?:[,\]}\s]|$)/
const INTEGER = /^-?\d+$/
/**
 * Maximum digits of an integer that is kept exactly. Parsing and formatting longer integers takes quadratic time, and
 * no database or programming language has an integer type for them.
 */
const MAX_DIGITS = 80

declare global {
  interface JSON {
    /** Creates a value that `JSON.stringify` writes as the given text. */
    rawJSON(text: string): object
  }
}

// JSON has one kind of number, so numbers and bigints are written alike.
// oxlint-disable-next-line no-extend-native
Object.defineProperty(BigInt.prototype, "toJSON", {
  configurable: true,
  writable: true,
  value(this: bigint): object {
    return JSON.rawJSON(String(this))
  },
})

/**
 * Parses JSON like `JSON.parse`, but keeps the digits of large integers. Integers of up to 80 digits that a double
 * cannot represent become bigints, which `JSON.stringify` writes unchanged.
 * @throws SyntaxError
 */
export function parseExactly(text: string): JsonValue {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text) as JsonValue
  return JSON.parse(text, exactInteger as (name: string, value: unknown) => unknown) as JsonValue
}

function exactInteger(
  _: string,
  value: unknown,
  { source }: { readonly source?: string },
): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value
  if (source.length > MAX_DIGITS || !INTEGER.test(source)) return value
  return String(value) === source ? value : BigInt(source)
}

/** Maximum nesting of a vendor's response. Recursive code may rely on this limit. */
export const MAX_JSON_DEPTH = 512
/** Maximum characters of a text that is not checked for nesting, because it cannot be harmfully deep. */
const MAX_UNCHECKED_LENGTH = 2_048
/**
 * Maximum number of values (lists, objects, members and elements) of a text that is parsed in one turn of the event
 * loop.
 */
const MAX_PARSED_VALUES = 500_000
/**
 * Maximum characters of a text whose values are not counted, because it cannot have enough values to make parsing slow.
 */
const MAX_UNCOUNTED = 32_768

/**
 * Parses a text. Returns undefined if it is not JSON, is nested too deeply, or has too many values
 * to be parsed without blocking the process. Depth and number of values are checked before parsing.
 */
export function parseJson(text: string, maxValues = MAX_PARSED_VALUES): JsonValue | undefined {
  if (text.length > MAX_UNCHECKED_LENGTH && isDeeperThan(text, MAX_JSON_DEPTH)) return undefined
  if (text.length > MAX_UNCOUNTED && hasManyValues(text, maxValues)) return undefined
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}

function hasManyValues(text: string, max: number): boolean {
  const scanner = new JsonScanner()
  scanner.push(Buffer.from(text))
  return scanner.count > max || scanner.widest > MAX_OBJECT_MEMBERS
}

/**
 * Parses an object. Returns undefined if the text is not JSON, is nested too deeply, or is not an
 * object.
 */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isJsonObject(value) ? value : undefined
}

const OBJECT_START = /^\s*\{/

/** Reports whether a text may contain an object. */
export function startsObject(text: string): boolean {
  return OBJECT_START.test(text)
}

/**
 * The name of the member that holds tool-call arguments which are not a JSON object. Models may write other arguments,
 * but no tool has a parameter of this name.
 */
const OTHER_ARGUMENTS = "arguments"

/**
 * Maximum number of values of an object from tool-call arguments, which is parsed and formatted in one turn of the
 * event loop.
 */
const MAX_OBJECT_VALUES = 50_000

/**
 * Parses an object. Any other text, or an object with too many values, becomes the only member of a new object.
 * @param otherwise the name of that member.
 */
export function objectIn(text: string, otherwise = OTHER_ARGUMENTS): JsonObject {
  const value = startsObject(text) ? parseJson(text, MAX_OBJECT_VALUES) : undefined
  return isJsonObject(value) ? value : { [otherwise]: text }
}

/**
 * An object that is parsed from its text each time it is serialized, so that it takes no time or memory before then.
 */
export class UnparsedObject {
  readonly text: string
  readonly otherwise: string | undefined

  /** @param otherwise the name of the member for other texts, as in `objectIn`. */
  constructor(text: string, otherwise?: string) {
    this.text = text
    this.otherwise = otherwise
  }

  toJSON(): JsonObject {
    return objectIn(this.text, this.otherwise)
  }
}

/** Reports whether a value is present. Null counts as absent, as in OpenAI's API. */
export function isDefined<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null
}

/** Returns the members that are neither known nor null; undefined if no such member exists. */
export function unknownFields(
  object: JsonObject,
  known: ReadonlySet<string>,
): JsonObject | undefined {
  let fields: JsonObject | undefined
  for (const key in object) {
    // A member with this name would set the prototype of the copy.
    if (known.has(key) || key === "__proto__") continue
    const value = object[key]
    if (value === null || value === undefined) continue
    fields ??= {}
    fields[key] = value
  }
  return fields
}

/** Returns the member if it is an object. */
export function objectAt(object: JsonObject, key: string): JsonObject | undefined {
  const value = object[key]
  return isJsonObject(value) ? value : undefined
}

/** Returns the member if it is nonempty text. */
export function textAt(object: JsonObject, key: string): string | undefined {
  const value = object[key]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Returns the member if it is a list; otherwise an empty list. */
export function listAt(object: JsonObject, key: string): readonly JsonValue[] {
  const value = object[key]
  return Array.isArray(value) ? value : []
}

/** Converts any value to text. `String` throws if `toString` of a caller's object is not a function. */
export function shown(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value)
}
