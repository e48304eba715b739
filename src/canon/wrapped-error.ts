import { isJsonObject, type JsonObject, listAt, textAt } from "./json.ts"
import { type PrintedObject, readPrintedObject, withoutEscapes } from "./printed-object.ts"

/**
 * Matches text that routers and client libraries put before the message of the provider that they called:
 * `litellm.BadRequestError: `, `GeminiException BadRequestError - `, `Error code: 400 - `.
 */
const PREFIX =
  /(?:litellm\.\w{1,99}: |(?:[a-z_]\w{0,40}\.){0,3}\w{0,99}(?:Error|Exception)(?: \w{0,99}Error)?(?:: | - )|Context Window Error - |(?:Error|HTTP|Status)(?: status)?(?: code)?:? \d{3}(?: - |: |, )|\d{3} (?=b?["']?[{[]))/iy
const MAX_PREFIXES = 10
/** Maximum characters of a message that are read. */
const MAX_CHARACTERS = 65_536
/** Maximum number of errors nested within each other. */
const MAX_LAYERS = 4
/** Matches the start of bytes in Python's notation, `b'...'`. */
const BYTES = /b["'](?=\s*[{[])/y
/** Matches the beginning of an object, or of a list of objects or strings. */
const OBJECT = /\{|\[(?=\s*["'{])/g

/** An error that the message of another error contains. */
export interface WrappedError {
  readonly message: string
  readonly type?: string
  readonly code?: string
  readonly parameter?: string
}

/** Returns the provider's error that a message of a router contains; otherwise the message without prefixes. */
export function unwrapError(wrapping: string): WrappedError {
  let error: WrappedError = { message: wrapping.slice(0, MAX_CHARACTERS) }
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const given = error.message.trim()
    const message = withoutPrefixes(given)
    const printed = message === given ? undefined : printedAt(message)
    const inner = errorIn(printed?.value)
    error = { ...error, message, ...inner }
    if (inner?.message === undefined) break
  }
  return { ...error, message: error.message.replaceAll("’", "'") }
}

/** Returns a message without the prefixes of routers and client libraries. */
export function withoutPrefixes(message: string): string {
  PREFIX.lastIndex = 0
  let start = 0
  for (let count = 0; count < MAX_PREFIXES && PREFIX.test(message); count++) {
    start = PREFIX.lastIndex
  }
  return message.slice(start).trim()
}

function printedAt(text: string): PrintedObject | undefined {
  BYTES.lastIndex = 0
  if (!BYTES.test(text)) return /^[[{]/.test(text) ? readPrintedObject(text, 0) : undefined
  const printed = readPrintedObject(fromBytes(text.slice(2).trim()), 0)
  return { ...printed, end: text.length }
}

/** Decodes UTF-8 in a bytes literal of Python. */
function fromBytes(text: string): string {
  const bytes = withoutEscapes(text)
  // oxlint-disable-next-line no-control-regex
  return /^[\0-\xff]*$/.test(bytes) ? Buffer.from(bytes, "latin1").toString() : bytes
}

/** Reads an error in any of the known forms; undefined for other values. */
function errorIn(value: unknown): Partial<WrappedError> | undefined {
  const whole: unknown = Array.isArray(value) ? value[0] : value
  if (!isJsonObject(whole)) return undefined
  const inner = whole.error ?? whole.detail ?? whole
  if (typeof inner === "string") return { message: inner }
  if (!isJsonObject(inner)) return undefined
  const { error } = inner
  const message = textAt(inner, "message") ?? (typeof error === "string" ? error : undefined)
  const type = textAt(inner, "type") ?? textAt(inner, "status")
  const code = textAt(inner, "code") ?? reasonOf(inner)
  const parameter = textAt(inner, "param")
  return {
    ...(message && { message }),
    ...(type && { type }),
    ...(code && { code }),
    ...(parameter && { parameter }),
  }
}

/** Returns the reason from the details of Google's errors. */
function reasonOf(error: JsonObject): string | undefined {
  for (const detail of listAt(error, "details")) {
    const reason = isJsonObject(detail) ? textAt(detail, "reason") : undefined
    if (reason !== undefined) return reason
  }
  return undefined
}

/** Members of errors that repeat the caller's input. */
const ECHOES: ReadonlySet<string> = new Set(["input", "ctx", "loc", "value", "messages", "prompt"])
/** Maximum number of values that are searched. */
const MAX_VALUES = 500
const MAX_TEXT_CHARACTERS = 8_192
/** Maximum objects that are read in a text. */
const MAX_OBJECTS = 50
/** Each beginning of an object counts as this many characters, since most of its cost is fixed. */
const MIN_OBJECT_CHARACTERS = 256
/** Maximum characters that are read of all texts together. */
const MAX_READ_CHARACTERS = 65_536

/** Returns the beginnings of texts in an error's body, including texts of objects in strings. */
export function textsOf(body: unknown): readonly string[] {
  const texts: string[] = []
  const values: unknown[] = [body]
  let readCharacters = 0
  for (let index = 0; index < values.length && readCharacters < MAX_READ_CHARACTERS; index++) {
    const value = values[index]
    if (typeof value === "string") {
      const parts = split(value.slice(0, MAX_TEXT_CHARACTERS))
      readCharacters += parts.readCharacters
      texts.push(...parts.outside)
      values.push(...parts.objects.slice(0, MAX_VALUES - values.length))
    } else if (typeof value === "object" && value !== null) {
      for (const name in value) {
        if (values.length >= MAX_VALUES) break
        if (!ECHOES.has(name)) values.push((value as Readonly<Record<string, unknown>>)[name])
      }
    }
  }
  return texts
}

interface Parts {
  readonly outside: readonly string[]
  readonly objects: readonly unknown[]
  readonly readCharacters: number
}

/** Splits a text into the objects that it contains and the text outside of them. */
function split(text: string): Parts {
  const outside: string[] = []
  const objects: unknown[] = []
  let readCharacters = text.length
  let end = 0
  OBJECT.lastIndex = 0
  while (readCharacters < MAX_READ_CHARACTERS && objects.length < MAX_OBJECTS) {
    const start = OBJECT.exec(text)?.index
    if (start === undefined) break
    const isInBytes = start > 1 && /^b["']$/.test(text.slice(start - 2, start))
    const printed =
      (isInBytes && printedAt(text.slice(start - 2))) || readPrintedObject(text, start)
    const length = isInBytes ? text.length - start : printed.end - start
    readCharacters += Math.max(length, MIN_OBJECT_CHARACTERS)
    if (printed.value === undefined) continue
    outside.push(text.slice(end, start))
    objects.push(printed.value)
    end = isInBytes ? text.length : printed.end
    OBJECT.lastIndex = end
  }
  outside.push(text.slice(end))
  return { outside: outside.filter((part) => part !== ""), objects, readCharacters }
}
