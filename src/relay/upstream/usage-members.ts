import { isJsonObject, type JsonObject, MAX_JSON_DEPTH, parseJson } from "../../canon/json.ts"
import { type JsonObserver, JsonScanner } from "../../canon/json-structure.ts"
import { GatewayError } from "../../canon/errors.ts"
import { BILLED } from "./response-size.ts"

/** Members with the usage, the service mode or the name of the answering model. */
const NAMES: ReadonlySet<string> = new Set([
  "model",
  "usage",
  "usageMetadata",
  "service_tier",
  "serviceTier",
  "performanceConfig",
  // Cohere's usage of embeddings and rankings.
  "meta",
  // OpenAI's number of searches.
  "tool_usage",
])
/** The members of an event that contain the whole response, or the end of Cohere's responses. */
const RESPONSES: ReadonlySet<string> = new Set(["response", "delta"])
const MAX_NAME_BYTES = 32
const MAX_VALUE_BYTES = 16 * 1024

/**
 * Keeps the members of a response that report its usage, wherever they are in the object, while the response is
 * scanned. Members of the objects `response` and `delta` are also kept.
 */
export class UsageMembers implements JsonObserver {
  readonly maxDepth = 2
  readonly #texts = new Map<string, string>()
  #name = ""
  /** Whether the scanned value belongs to a member, so that its strings are not names. */
  readonly #isValue = [false, false, false]
  /** Whether the members of the open object at the second level count. */
  #isResponse = false
  #keptName = ""
  /** The level of the member that is being kept; 0 if no member is being kept. */
  #keptDepth = 0
  #start = 0
  #pieces: Buffer[] = []
  #length = 0

  /** The members that have been read completely. */
  get members(): JsonObject {
    const members: JsonObject = {}
    for (const [name, text] of this.#texts) {
      const value = parseJson(text)
      if (value !== undefined && value !== null) members[name] = value
    }
    return members
  }

  string(chunk: Buffer, start: number, end: number, depth: number): void {
    if (this.#isValue[depth] === true || this.#name.length > MAX_NAME_BYTES) return
    this.#name += chunk.toString("latin1", start, Math.min(end, start + MAX_NAME_BYTES + 1))
  }

  colon(depth: number, at: number): void {
    // The string ends with its closing quote.
    const name = this.#name.slice(0, -1)
    this.#name = ""
    this.#isValue[depth] = true
    if (depth === 1) this.#isResponse = RESPONSES.has(name)
    if (this.#keptDepth > 0 || !NAMES.has(name) || (depth === 2 && !this.#isResponse)) return
    this.#keptName = name
    this.#keptDepth = depth
    this.#start = at + 1
  }

  open(depth: number): void {
    this.#isValue[depth] = false
    this.#name = ""
  }

  comma(depth: number, chunk: Buffer, at: number): void {
    this.#isValue[depth] = false
    this.#name = ""
    this.#end(depth, chunk, at)
  }

  close(depth: number, chunk: Buffer, at: number): void {
    this.#end(depth, chunk, at)
  }

  chunkEnd(chunk: Buffer): void {
    if (this.#keptDepth === 0) return
    this.#keep(chunk.subarray(this.#start))
    this.#start = 0
  }

  #end(depth: number, chunk: Buffer, at: number): void {
    if (depth !== this.#keptDepth) return
    this.#keep(chunk.subarray(this.#start, at))
    if (this.#length <= MAX_VALUE_BYTES) {
      this.#texts.set(this.#keptName, Buffer.concat(this.#pieces).toString())
    }
    this.#keptDepth = 0
    this.#pieces = []
    this.#length = 0
  }

  #keep(bytes: Buffer): void {
    this.#length += bytes.length
    // The bytes are copied, because the memory of chunks is released explicitly.
    if (this.#length <= MAX_VALUE_BYTES) this.#pieces.push(Buffer.from(bytes))
  }
}

/** Whether members report usage. */
export function reportsUsage({ usage, usageMetadata }: JsonObject): boolean {
  return isJsonObject(usage) || isJsonObject(usageMetadata)
}

/** Characters at the end of a response that are searched for its usage. */
export const TAIL_LENGTH = 16 * 1024

const JSON_START = /^\s*[{[]/

/**
 * Returns the members with the usage of a complete text that was not parsed as JSON because it is nested too deeply or
 * has too many members; undefined for any other text. Callers can provoke such responses by requesting tool arguments
 * of this form.
 */
export function usageIfTooComplex(text: string): JsonObject | undefined {
  if (!JSON_START.test(text)) return undefined
  const usage = new UsageMembers()
  const scanner = new JsonScanner({ observer: usage })
  scanner.push(Buffer.from(text))
  return scanner.isClosed && isTooComplex(scanner) ? usage.members : undefined
}

/** Whether a scanned text is nested too deeply or has too many members to be parsed. */
export function isTooComplex({ deepest, isTooWide }: JsonScanner): boolean {
  return deepest > MAX_JSON_DEPTH || isTooWide
}

/** Returns the error for a response that is too complex to be parsed. Its provider bills the response. */
export function tooComplex(provider: string): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent a response with more than ${MAX_JSON_DEPTH} levels, or with too many members. Request less nesting or fewer members.`,
    BILLED,
  )
}

/** Returns the members with the usage of a JSON object, without parsing the object. */
function usageOfText(text: string): JsonObject {
  const usage = new UsageMembers()
  new JsonScanner({ observer: usage }).push(Buffer.from(text))
  return usage.members
}

/**
 * Returns the usage members from the last line of a stream that reports usage.
 * @param tail the last part.
 */
export function usageAtEnd(tail: string): JsonObject {
  const lines = tail.split("\n")
  const line = lines.findLast((text) => /"usage(?:Metadata)?"/.test(text)) ?? ""
  const text = line.slice(0, line.lastIndexOf("}") + 1)
  // The start of a long line is not in the last part of the stream.
  return line === lines[0] ? membersAtEnd(text) : usageOfText(text.slice(text.indexOf("{")))
}

/** Returns the usage at the end of an object whose start is missing, and the members after it. */
function membersAtEnd(text: string): JsonObject {
  for (const name of ["usage", "usageMetadata"]) {
    const start = text.lastIndexOf(`"${name}"`)
    // Members of an inner object and the text after it are not a valid object.
    const found = start === -1 ? undefined : parseJson(`{${text.slice(start)}`)
    if (isJsonObject(found)) return found
  }
  return {}
}
