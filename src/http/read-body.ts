import { GatewayError } from "../canon/errors.ts"
import {
  hasManyOpenings,
  isDeeperThan,
  JsonScanner,
  openingBytes,
} from "../canon/json-structure.ts"
import { isJsonObject, type JsonObject } from "../canon/json.ts"
import type { Reservation } from "../limits/memory-budget.ts"
import { incomingChunks, USUAL_PACE } from "./incoming-body.ts"
import { encodingOf, unpackedChunks } from "./unpacked-body.ts"
import { detachBuffer } from "../wire/detach-buffer.ts"

/** Deeper nesting than this is an attack on recursive code. */
const DEEPEST = 64
/** No request has so many lists, objects and members; to parse more would keep everyone waiting. */
const MAX_VALUES = 500_000
/** A body up to here is read in one go: it arrives together with its head. Bytes. */
const SMALL_BODY = 32 * 1024
/** A body is in memory as received, as parsed, and as what goes upstream. */
const COPIES = 3
const DECODER = new TextDecoder()

/** A JSON body and its size, unpacked, in bytes. */
export interface ReceivedBody {
  readonly json: JsonObject
  readonly bytes: number
}

/**
 * Reads a JSON body. One that is announced as too large, or for which there is no memory, is refused before a byte of
 * it is read.
 * @param limit bytes.
 * @param memory takes what the body needs; absent where small bodies alone are read.
 * @throws GatewayError `unsupported_media_type`, `body_too_large`, `invalid_json`, `invalid_value`, `overloaded`.
 */
export async function readJsonBody(
  request: Request,
  limit: number,
  memory?: Reservation,
  pace = USUAL_PACE,
): Promise<ReceivedBody> {
  const type = request.headers.get("content-type") ?? ""
  if (!isJsonType(type)) {
    throw new GatewayError(
      "unsupported_media_type",
      `The body has to be JSON: send 'content-type: application/json'${type === "" ? "" : `, not '${type.slice(0, 100)}'`}.`,
    )
  }
  const encoding = encodingOf(request.headers)
  const length = request.headers.get("content-length")
  const announced = length === null ? undefined : Number(length)
  if (announced !== undefined && announced > limit) throw tooLarge(limit)
  try {
    if (encoding !== undefined) {
      const chunks = unpackedChunks(incomingChunks(request, pace), encoding, memory)
      return await readLarge(chunks, { limit, memory, announced: undefined })
    }
    if (announced !== undefined && announced <= SMALL_BODY) {
      memory?.takeBody(COPIES * announced)
      return { json: parseSmall(await request.text(), memory), bytes: announced }
    }
    return await readLarge(incomingChunks(request, pace), { limit, memory, announced })
  } catch (error) {
    if (error instanceof GatewayError) throw error
    // A caller who leaves while the body still comes gets this error, in case it still reads; it is no failure of ours.
    throw new GatewayError("invalid_json", "The body ended before it was complete.", {
      cause: error,
    })
  }
}

function isJsonType(type: string): boolean {
  if (type === "application/json") return true
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type.trim())
}

/** What is known of a large body before it comes. */
interface LargeBody {
  readonly limit: number
  readonly memory: Reservation | undefined
  readonly announced: number | undefined
}

/** A large body is checked while it arrives: reading stops as soon as it is too deep or too large. */
async function readLarge(
  incoming: AsyncIterable<Uint8Array>,
  { limit, memory, announced }: LargeBody,
): Promise<ReceivedBody> {
  if (announced !== undefined) memory?.takeBody(COPIES * announced)
  const scanner = new JsonScanner()
  const chunks: Uint8Array[] = []
  let bytes = 0
  let whole: Buffer
  // The memory of the chunks is released immediately: the collector does not see how large its garbage is.
  try {
    for await (const chunk of incoming) {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes > limit) throw tooLarge(limit)
      if (announced === undefined) memory?.takeBody(COPIES * chunk.byteLength)
      scanner.push(chunk)
      if (scanner.deepest > DEEPEST) throw tooDeep()
      if (scanner.values > MAX_VALUES) throw tooMany()
    }
    memory?.takeBody(scanner.bytes)
    whole = Buffer.concat(chunks)
  } finally {
    for (const chunk of chunks) detachBuffer(chunk)
  }
  const text = DECODER.decode(whole)
  detachBuffer(whole)
  return { json: parse(text), bytes }
}

function parseSmall(text: string, memory: Reservation | undefined): JsonObject {
  if (hasManyOpenings(text, DEEPEST)) {
    if (isDeeperThan(text, DEEPEST)) throw tooDeep()
    memory?.takeBody(openingBytes(text))
  }
  return parse(text)
}

function parse(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be parsed"
    throw new GatewayError("invalid_json", `The body is not valid JSON: ${reason.slice(0, 200)}.`)
  }
  if (!isJsonObject(value)) {
    throw new GatewayError("invalid_json", "The body has to be a JSON object.")
  }
  return value
}

function tooDeep(): GatewayError {
  return new GatewayError(
    "invalid_json",
    `The body is nested deeper than ${DEEPEST} levels. Send flatter JSON.`,
  )
}

function tooMany(): GatewayError {
  return new GatewayError(
    "invalid_json",
    `The body holds more than ${MAX_VALUES.toLocaleString("en-US")} lists, objects and members. Send less in one request.`,
  )
}

function tooLarge(limit: number): GatewayError {
  const megabytes = (limit / 1024 / 1024).toFixed(limit < 1024 * 1024 ? 3 : 0)
  return new GatewayError("body_too_large", `The body is larger than ${megabytes} MB.`)
}
