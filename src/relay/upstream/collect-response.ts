import { GatewayError } from "../../canon/errors.ts"
import { type JsonObject, MAX_JSON_DEPTH } from "../../canon/json.ts"
import { joinInSlices } from "../../canon/joined-bytes.ts"
import { JsonScanner, type ScanTargets } from "../../canon/json-structure.ts"
import type { LongSpans } from "../../canon/long-spans.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import { ChunkList } from "../../wire/chunk-list.ts"
import type { HttpResponse } from "../../wire/http/response.ts"
import { ResponseSize, BILLED, SMALL_RESPONSE, type SizeReader } from "./response-size.ts"
import { reportsUsage, tooComplex, UsageMembers } from "./usage-members.ts"
import { detachBuffer } from "../../canon/detach-buffer.ts"

const OPENING_BRACE = 0x7b
const OPENING_BRACKET = 0x5b
/** Bytes that may precede JSON: white space and a byte order mark. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])
/**
 * Maximum number of lists, objects and members of a whole response, and of elements in all its lists. It is higher than
 * in the longest response with `logprobs` or the largest batch of embeddings. The values are parsed in slices, and
 * count as memory (decision 20).
 */
const MAX_VALUES = 10_000_000

export interface ResponseReader extends SizeReader {
  /** The members that report the usage of a JSON response that cannot be parsed. */
  usageMembers: JsonObject | undefined
  /** Called with each chunk that arrives. */
  received(): void
}

/**
 * Returns a response that has already arrived and is too small to count as memory; undefined if the response must be
 * collected.
 */
export function smallBody(response: HttpResponse, reader: ResponseReader): Uint8Array | undefined {
  const whole = response.takeWhole(Math.min(SMALL_RESPONSE, reader.responseBytes))
  if (whole !== undefined) reader.received()
  return whole
}

/**
 * Reads a response whole. Only the usage of a JSON response that cannot be parsed is stored.
 * @param isJson whether only JSON is accepted, even without a JSON content type.
 * @param spans receives the positions of the long values of a response in JSON.
 * @throws GatewayError `upstream_error` if it is too large, `overloaded`; errors of the transport.
 */
export async function collectResponse(
  response: HttpResponse,
  reader: ResponseReader,
  isJson: boolean,
  spans?: LongSpans,
): Promise<Buffer<ArrayBuffer>> {
  const isJsonOnly = isJson || mediaTypeIsJson(response)
  const list = new ChunkList()
  const size = new ResponseSize(reader)
  const usage = new UsageMembers()
  let scanner: JsonScanner | undefined
  let first: number | undefined
  for await (const chunk of response.body) {
    first ??= chunk.find((byte) => !BLANKS.has(byte))
    // White space does not count, because it only keeps the connection alive.
    if (first !== undefined) reader.received()
    size.count(chunk.byteLength)
    if (isJsonOnly && (first === undefined ? !size.isSmall : !mayBeJson(first))) {
      throw notJson(reader)
    }
    list.push(chunk)
    if (size.isSmall && spans === undefined) continue
    if (first !== undefined && mayBeJson(first)) {
      scanner = scanned(scanner, list.chunks, { observer: usage, spans })
    }
    if (size.isSmall) continue
    const failure = failureOf(scanner, reader) ?? size.reserve(scanner?.bytes)
    if (failure !== undefined) {
      list.clear()
      size.release()
      if (scanner === undefined) throw failure
      await readRest(response, reader, scanner)
      reader.usageMembers = usage.members
      throw billed(failure, reader)
    }
  }
  // A heavy response waits for its own turn of the event loop, because it is parsed as soon as it is returned.
  if (size.isHeavy) await ownTurn()
  const { chunks } = list
  const [only] = chunks
  if (chunks.length === 1 && only) return bufferOf(only)
  const whole = await joinInSlices(chunks, size.bytes)
  // Memory of these buffers is released explicitly, because the garbage collector does not account for their size.
  if (!size.isSmall) for (const chunk of chunks) detachBuffer(chunk)
  return whole
}

/** Returns the same bytes. They are only copied if they are shared with another thread. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer<ArrayBuffer> {
  return buffer instanceof ArrayBuffer
    ? Buffer.from(buffer, byteOffset, byteLength)
    : Buffer.from(new Uint8Array(buffer, byteOffset, byteLength))
}

/**
 * Scans the rest of a response that cannot be parsed, to find its usage. It reads at most as many further bytes as the
 * size limit.
 * @throws GatewayError if the response was cut off, which is a failed attempt; errors of the transport.
 */
async function readRest(
  { body }: HttpResponse,
  reader: ResponseReader,
  scanner: JsonScanner,
): Promise<void> {
  for (let read = 0; read < reader.responseBytes;) {
    const { done, value } = await body.next()
    if (done === true) {
      if (!scanner.isClosed) throw notJson(reader)
      return
    }
    reader.received()
    read += value.byteLength
    scanner.push(value)
  }
}

/**
 * Returns the failure of a response that cannot be parsed. The failure is marked as billed if the response reports its
 * usage.
 */
function billed(failure: GatewayError, { usageMembers = {} }: ResponseReader): GatewayError {
  if (failure.details.billedResponse !== undefined || !reportsUsage(usageMembers)) return failure
  return new GatewayError(failure.kind, failure.message, BILLED)
}

/** Scans the chunks of a response. Chunks of a small response are only scanned once the response becomes large. */
function scanned(
  scanner: JsonScanner | undefined,
  chunks: readonly Uint8Array[],
  targets: ScanTargets,
): JsonScanner {
  const last = chunks.at(-1)
  if (scanner !== undefined) {
    if (last !== undefined) scanner.push(last)
    return scanner
  }
  const begun = new JsonScanner(targets)
  for (const chunk of chunks) begun.push(chunk)
  return begun
}

/**
 * Whether a response may be JSON, regardless of its headers. Parsing JSON may take more memory than its text.
 * @param first the first byte of the response.
 */
function mayBeJson(first: number): boolean {
  return first === OPENING_BRACE || first === OPENING_BRACKET
}

function mediaTypeIsJson(response: HttpResponse): boolean {
  return response.header("content-type")?.includes("json") ?? false
}

/** Returns the error for a response that is not JSON, or whose JSON was cut off. */
export function notJson({ provider }: Pick<ResponseReader, "provider">): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent a response that is not valid JSON. Try again.`,
  )
}

/** Returns the error if the scanned part of a response cannot be parsed; otherwise undefined. */
function failureOf(
  scanner: JsonScanner | undefined,
  reader: ResponseReader,
): GatewayError | undefined {
  if (scanner === undefined) return undefined
  if (Math.max(scanner.values, scanner.elements) > MAX_VALUES) return tooMany(reader)
  const isTooDeep = scanner.isTooWide || scanner.deepest > MAX_JSON_DEPTH
  return isTooDeep ? tooComplex(reader.provider) : undefined
}

/**
 * Returns the error for a response with too many values. The response is billed if it reports its usage; otherwise it
 * is invalid.
 */
function tooMany({ provider }: ResponseReader): GatewayError {
  const max = MAX_VALUES.toLocaleString("en-US")
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent a response of more than ${max} lists, objects and members or ${max} elements, which was not read to its end. Request less output, or a stream.`,
  )
}
