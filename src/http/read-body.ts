import { isAscii } from "node:buffer"
import { MAX_NUMBERED_MEMBERS, MAX_OBJECT_MEMBERS, MAX_VALUES } from "#contract/request-limits.ts"
import { GatewayError } from "../canon/errors.ts"
import {
  hasManyOpenings,
  isDeeperThan,
  JsonScanner,
  openingBytes,
} from "../canon/json-structure.ts"
import { isJsonObject, type JsonObject, type JsonValue, parseExactly } from "../canon/json.ts"
import type { MaybePromise } from "../canon/maybe-promise.ts"
import { ownTurn } from "../canon/next-turn.ts"
import { parseInSlices, SLICE_BYTES } from "../canon/sliced-json.ts"
import type { Reservation } from "../limits/memory-budget.ts"
import { detachBuffer } from "../canon/detach-buffer.ts"
import { joinInSlices } from "../canon/joined-bytes.ts"
import { ChunkList } from "../wire/chunk-list.ts"
import { incomingChunks, type Pace, USUAL_PACE } from "./incoming-body.ts"
import { encodingOf, unpackedChunks } from "./unpacked-body.ts"

/** Maximum nesting. Bodies with deeper nesting are rejected as attacks on recursive code. */
const MAX_DEPTH = 64
/** Maximum bytes of a body that is read at once, because it arrives together with its head. */
const MAX_SMALL_BODY_BYTES = 32 * 1024
/** The beginning of an escaped character in JSON. */
const ESCAPE = String.raw`\u`
/** Copies of a body in memory: as received, as parsed, and as sent upstream. */
const COPIES = 3

/** A JSON body and its uncompressed size in bytes. */
export interface ReceivedBody {
  readonly json: JsonObject
  readonly bytes: number
  /** Whether the body is ASCII and contains no escape sequence (`\u`). */
  readonly isAscii: boolean
}

/** Checks a request while its body arrives. A small body arrives at once, so it is not checked early. */
export interface BodyWatch {
  /** Called before the body is read. @throws GatewayError */
  begins(): MaybePromise<void>
  /** Called as soon as the body names its model. @throws GatewayError */
  named(model: string): MaybePromise<void>
}

/** Parameters for reading a JSON body. */
export interface BodyReading {
  /** Maximum uncompressed bytes. */
  readonly limit: number
  /** Reserves memory for the body; may be absent if only small bodies are read. */
  readonly memory?: Reservation | undefined
  readonly pace?: Pace
  /** Maximum number of lists, objects, members and elements. */
  readonly maxValues?: number
  readonly watch?: BodyWatch
}

/**
 * Reads a JSON body. If its announced size exceeds the limit or the free memory, it is rejected without being read.
 * @throws GatewayError `unsupported_media_type`, `body_too_large`, `invalid_json`, `invalid_value`, `overloaded`, and
 *   errors thrown by the watch.
 */
export async function readJsonBody(request: Request, reading: BodyReading): Promise<ReceivedBody> {
  const { limit, memory, pace = USUAL_PACE, watch } = reading
  const type = request.headers.get("content-type") ?? ""
  if (!isJsonType(type)) {
    throw new GatewayError(
      "unsupported_media_type",
      `The body must be JSON: send 'content-type: application/json'${type === "" ? "" : `, not '${type.slice(0, 100)}'`}.`,
    )
  }
  const encoding = encodingOf(request.headers)
  const length = request.headers.get("content-length")
  const announced = length === null ? undefined : Number(length)
  if (announced !== undefined && announced > limit) throw tooLarge(limit)
  try {
    if (announced !== undefined && announced <= MAX_SMALL_BODY_BYTES && encoding === undefined) {
      memory?.takeBody(COPIES * announced)
      const text = await request.text()
      // Each byte outside of ASCII is part of a longer character or invalid, so the lengths differ.
      const isAscii = text.length === announced && !text.includes(ESCAPE)
      return { json: parseSmall(text, memory), bytes: announced, isAscii }
    }
    await watch?.begins()
    const incoming = incomingChunks(request, pace)
    if (encoding === undefined) return await readLarge(incoming, reading, announced)
    return await readLarge(unpackedChunks(incoming, encoding, memory), reading, undefined)
  } catch (error) {
    if (error instanceof GatewayError) throw error
    // A caller that disconnects during the upload gets this error, in case it still reads. It is not a failure of the
    // gateway.
    throw new GatewayError("invalid_json", "The body ended before it was complete.", {
      cause: error,
    })
  }
}

/**
 * Whether a body is short enough to arrive together with its head, so that it can be read without waiting.
 * @param maxBytes a lower maximum.
 */
export function isSmallBody({ headers }: Request, maxBytes = MAX_SMALL_BODY_BYTES): boolean {
  const length = headers.get("content-length")
  return length !== null && Number(length) <= maxBytes && headers.get("content-encoding") === null
}

function isJsonType(type: string): boolean {
  if (type === "application/json") return true
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type.trim())
}

/**
 * Reads a large body, and checks it as it arrives. Reading stops as soon as the body is nested too deeply or too large.
 * @param announced the announced size, if known.
 */
async function readLarge(
  incoming: AsyncIterable<Uint8Array>,
  { limit, memory, maxValues = MAX_VALUES, watch }: BodyReading,
  announced: number | undefined,
): Promise<ReceivedBody> {
  if (announced !== undefined) memory?.takeBody(COPIES * announced)
  const scanner = new JsonScanner()
  const list = new ChunkList()
  let bytes = 0
  let whole: Buffer
  let isNamed = false
  // The memory of the chunks is released immediately, because the garbage collector does not account for its size.
  try {
    for await (const chunk of incoming) {
      list.push(chunk)
      bytes += chunk.byteLength
      if (bytes > limit) throw tooLarge(limit)
      if (announced === undefined) memory?.takeBody(COPIES * chunk.byteLength)
      for (let start = 0; start < chunk.byteLength; start += SLICE_BYTES) {
        if (start > 0) await ownTurn()
        scanner.push(chunk.subarray(start, start + SLICE_BYTES))
        if (scanner.deepest > MAX_DEPTH) throw tooDeep()
        const { count, member, numbered, widest } = scanner
        if (count > maxValues) throw tooMany(`${shownNumber(maxValues)} ${VALUES}`, member)
        if (widest > MAX_OBJECT_MEMBERS) throw tooMany(WIDE_OBJECT, member)
        if (numbered > MAX_NUMBERED_MEMBERS) throw tooMany(NUMBERED, member)
        if (!isNamed && scanner.model !== undefined) {
          isNamed = true
          await watch?.named(scanner.model)
        }
      }
    }
    memory?.takeBody(scanner.bytes)
    whole = await joinInSlices(list.chunks, bytes)
  } finally {
    for (const chunk of list.chunks) detachBuffer(chunk)
  }
  try {
    const hasAsciiOnly = isAscii(whole) && !whole.includes(ESCAPE)
    return { json: objectOf(await parseInSlices(whole)), bytes, isAscii: hasAsciiOnly }
  } catch (error) {
    throw error instanceof GatewayError ? error : notJson(error)
  } finally {
    detachBuffer(whole)
  }
}

function parseSmall(text: string, memory: Reservation | undefined): JsonObject {
  if (hasManyOpenings(text, MAX_DEPTH)) {
    if (isDeeperThan(text, MAX_DEPTH)) throw tooDeep()
    memory?.takeBody(openingBytes(text))
  }
  let value: JsonValue
  try {
    value = parseExactly(text)
  } catch (error) {
    throw notJson(error)
  }
  return objectOf(value)
}

function objectOf(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value
  throw new GatewayError("invalid_json", "The body must be a JSON object.")
}

function notJson(error: unknown): GatewayError {
  const reason = error instanceof Error ? error.message : "it cannot be parsed"
  return new GatewayError("invalid_json", `The body is not valid JSON: ${reason.slice(0, 200)}.`)
}

function tooDeep(): GatewayError {
  return new GatewayError(
    "invalid_json",
    `The body is nested deeper than ${MAX_DEPTH} levels. Send flatter JSON.`,
  )
}

const shownNumber = (number: number): string => number.toLocaleString("en-US")
const VALUES = "values: lists, objects, members and elements"
const NUMBERED = `${shownNumber(MAX_NUMBERED_MEMBERS)} members whose names begin with a digit`
const WIDE_OBJECT = `${shownNumber(MAX_OBJECT_MEMBERS)} members in one object`

/**
 * Builds the error for a body with too many values.
 * @param limit the exceeded limit.
 * @param member the member that exceeded the limit.
 */
function tooMany(limit: string, member: string | undefined): GatewayError {
  const place = member === undefined ? "" : ` It is passed in '${member.slice(0, 100)}'.`
  return new GatewayError(
    "invalid_value",
    `The body has more than ${limit}.${place} Send less in one request.`,
    member === undefined ? {} : { parameter: member.slice(0, 100) },
  )
}

function tooLarge(limit: number): GatewayError {
  const megabytes = (limit / 1024 / 1024).toFixed(limit < 1024 * 1024 ? 3 : 0)
  return new GatewayError("body_too_large", `The body is larger than ${megabytes} MB.`)
}
