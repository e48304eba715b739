import { entryOf, isObject, type Json, type JsonObject } from "../json.ts"
import { invalid, type VendorError } from "./errors.ts"
import { ENUMS, MESSAGES } from "./fields.ts"

const PACKAGE = "type.googleapis.com/google.ai.generativelanguage.v1beta"
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/
const MAX_QUOTE_LENGTH = 64

/**
 * Reads a request's body like Google's JSON reader. Both spellings of a name are equivalent, and unknown fields and
 * wrong types are rejected. The error lists all faults.
 */
export function readRequestBody(body: JsonObject): JsonObject | VendorError {
  const reader = new MessageReader()
  const read = reader.message(body, "GenerateContentRequest", "")
  return reader.error() ?? read
}

/** Whether the result of reading is an error. */
export function isError(read: JsonObject | VendorError): read is VendorError {
  return typeof read.code === "number"
}

interface Violation {
  readonly field: string
  readonly description: string
}

class MessageReader {
  readonly #violations: Violation[] = []

  error(): VendorError | undefined {
    if (this.#violations.length === 0) return undefined
    const fieldViolations = this.#violations.map(({ field, description }) =>
      field === "" ? { description } : { field, description },
    )
    const details = [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }]
    return invalid(this.#violations.map(({ description }) => description).join("\n"), details)
  }

  message(value: Json, name: string, path: string): JsonObject {
    const fields = MESSAGES[name] ?? {}
    if (!isObject(value)) {
      this.#reject(path, `${PACKAGE}.${name}`, value)
      return {}
    }
    const read: JsonObject = {}
    for (const [key, member] of Object.entries(value)) {
      const field = inCamelCase(key)
      const type = entryOf(fields, field)
      if (type === undefined) this.#unknown(key, path)
      else if (member !== null && member !== undefined) {
        const inside = path === "" ? inSnakeCase(field) : `${path}.${inSnakeCase(field)}`
        read[field] = this.#field(member, type, inside)
      }
    }
    return read
  }

  #field(value: Json, type: string, path: string): Json {
    if (type.endsWith("[]")) {
      const inner = type.slice(0, -2)
      // Google accepts a single value in place of a list, like a list with one element (recorded).
      const list = Array.isArray(value) ? value : [value]
      return list.map((entry, index) => this.#field(entry, inner, `${path}[${index}]`))
    }
    if (type.endsWith("{}")) return this.#map(value, type.slice(0, -2), path)
    if (entryOf(MESSAGES, type) !== undefined) return this.message(value, type, path)
    const words = entryOf(ENUMS, type)
    if (words !== undefined) return this.#word(value, type, words, path)
    const rejection = scalarRejection(value, type)
    if (rejection !== undefined) this.#violate(path, `Invalid value at '${path}' (${rejection}`)
    return value
  }

  #map(value: Json, inner: string, path: string): Json {
    if (!isObject(value)) {
      this.#reject(path, "MapEntry", value)
      return {}
    }
    const read: JsonObject = {}
    for (const [index, [key, member]] of Object.entries(value).entries()) {
      read[key] = this.#field(member ?? null, inner, `${path}[${index}].value`)
    }
    return read
  }

  #word(value: Json, type: string, words: readonly string[], path: string): Json {
    // An enum value can also be given as a number.
    const word = typeof value === "number" ? (words[value] ?? "") : String(value).toUpperCase()
    if (!words.includes(word)) this.#reject(path, `${PACKAGE}.${type}`, value)
    return word
  }

  #unknown(key: string, path: string): void {
    const place = path === "" ? "" : ` at '${path}'`
    const words = `Invalid JSON payload received. Unknown name "${key}"${place}: Cannot find field.`
    this.#violate(path, words)
  }

  #reject(path: string, type: string, value: Json): void {
    this.#violate(path, `Invalid value at '${path}' (${type}), ${quoted(value)}`)
  }

  #violate(field: string, description: string): void {
    this.#violations.push({ field, description })
  }
}

/** Returns the end of Google's error for a value of the wrong type, starting with the name of the type. */
function scalarRejection(value: Json, type: string): string | undefined {
  switch (type) {
    case "string":
      return typeof value === "string" ? undefined : `TYPE_STRING), ${quoted(value)}`
    case "bool":
      return typeof value === "boolean" ? undefined : `TYPE_BOOL), ${quoted(value)}`
    case "int32":
    case "int64":
      return Number.isInteger(numberOf(value))
        ? undefined
        : `TYPE_${type.toUpperCase()}), ${quoted(value)}`
    case "float":
      return Number.isFinite(numberOf(value)) ? undefined : `TYPE_FLOAT), ${quoted(value)}`
    case "bytes":
      if (typeof value !== "string") return `TYPE_BYTES), ${quoted(value)}`
      return BASE64.test(value)
        ? undefined
        : `TYPE_BYTES), Base64 decoding failed for ${quoted(value)}`
    case "struct":
      return isObject(value)
        ? undefined
        : `type.googleapis.com/google.protobuf.Struct), ${quoted(value)}`
    default:
      return undefined
  }
}

/** Returns a number. The number may be written as text. */
function numberOf(value: Json): number {
  if (typeof value === "number") return value
  return typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN
}

function quoted(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= MAX_QUOTE_LENGTH ? text : `${text.slice(0, MAX_QUOTE_LENGTH)}..."`
}

function inCamelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function inSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
