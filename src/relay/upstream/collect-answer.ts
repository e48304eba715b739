import { GatewayError } from "../../canon/errors.ts"
import { MAX_JSON_DEPTH } from "../../canon/json.ts"
import { joinInSlices } from "../../canon/joined-bytes.ts"
import { JsonScanner } from "../../canon/json-structure.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import { ChunkList } from "../../wire/chunk-list.ts"
import type { FrameMemory } from "../../wire/frames.ts"
import type { HttpAnswer } from "../../wire/http/answer.ts"
import { reportsUsage, tooComplex, TAIL_LENGTH } from "./unparsed-answer.ts"
import { detachBuffer } from "../../canon/detach-buffer.ts"

/** Maximum bytes of an answer that does not count as memory, because the memory of its request is already reserved. */
const SMALL_ANSWER = 64 * 1024
/** Answers with more bytes are parsed one at a time, so that other requests are served between them. */
const HEAVY_ANSWER = 512 * 1024
/** Number of copies of a whole answer in memory: as received, as parsed, and as sent to the caller. */
const COPIES = 3
const OPENING_BRACE = 0x7b
const OPENING_BRACKET = 0x5b
/** Bytes that may precede JSON: white space and a byte order mark. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])
const MEBIBYTE = 1024 * 1024
/**
 * Maximum number of lists, objects and members of a whole answer, and of elements in all its lists. It is higher than
 * in the longest answer with `logprobs` or the largest batch of embeddings. The values are parsed in slices, and count
 * as memory (decision 20).
 */
const MAX_VALUES = 10_000_000

/**
 * The request causes such an answer: the answers of other deployments would be alike, so they are not tried, and no
 * deployment rests.
 */
const BILLED = { providerError: "generation", billedAnswer: {} } as const

/** The reader of a whole answer. */
export interface AnswerReader {
  readonly provider: string
  /** Maximum bytes of an answer after decompression. */
  readonly answerBytes: number
  readonly memory: FrameMemory
  /** The end of a JSON answer that cannot be parsed, which contains its usage. */
  tail: string | undefined
  /** Called with each chunk that arrives. */
  received(): void
}

/** The last received chunks that may contain the end of an answer. */
const LAST_CHUNKS = 16

type SizeReader = Pick<AnswerReader, "provider" | "answerBytes" | "memory">

/**
 * Returns an answer that has already arrived and is too small to count as memory; undefined if the answer must be
 * collected.
 */
export function smallBody(answer: HttpAnswer, reader: AnswerReader): Uint8Array | undefined {
  const whole = answer.takeWhole(Math.min(SMALL_ANSWER, reader.answerBytes))
  if (whole !== undefined) reader.received()
  return whole
}

/**
 * Reads an answer whole. Only the end of a JSON answer that cannot be parsed is stored.
 * @param isJson whether only JSON is accepted, even without a JSON content type.
 * @throws GatewayError `upstream_error` if it is too large, `overloaded`; errors of the transport.
 */
export async function collectAnswer(
  answer: HttpAnswer,
  reader: AnswerReader,
  isJson: boolean,
): Promise<Uint8Array> {
  const isJsonOnly = isJson || mediaTypeIsJson(answer)
  const list = new ChunkList()
  const size = new AnswerSize(reader)
  let scanner: JsonScanner | undefined
  let first: number | undefined
  for await (const chunk of answer.body) {
    first ??= chunk.find((byte) => !BLANKS.has(byte))
    // White space does not count, because it only keeps the connection alive.
    if (first !== undefined) reader.received()
    if (isJson && size.bytes + chunk.byteLength > reader.answerBytes) {
      list.clear()
      return await readTail(answer, reader, tooLarge(reader))
    }
    size.add(chunk.byteLength)
    if (isJsonOnly && (first === undefined ? !size.isSmall : !mayBeJson(first))) {
      throw notJson(reader)
    }
    list.push(chunk)
    if (size.isSmall) continue
    if (first !== undefined && mayBeJson(first)) scanner = scanned(scanner, list.chunks, chunk)
    const failure = scanner === undefined ? undefined : failureOf(scanner, reader)
    if (failure !== undefined) {
      if (!isJson) throw failure
      const last = Buffer.concat(list.chunks.slice(-LAST_CHUNKS))
      list.clear()
      return await readTail(answer, reader, failure, { last, scanner })
    }
    size.reserve(scanner?.bytes)
  }
  // A heavy answer waits for its own turn of the event loop, because it is parsed as soon as it is returned.
  if (size.isHeavy) await ownTurn()
  const { chunks } = list
  const [only] = chunks
  if (chunks.length === 1 && only) return only
  const whole = await joinInSlices(chunks, size.bytes)
  // Memory of these buffers is released explicitly, because the garbage collector does not see their size.
  if (!size.isSmall) for (const chunk of chunks) detachBuffer(chunk)
  return whole
}

/** The received part of an answer. */
interface ScannedPart {
  /** Its last bytes. */
  readonly last?: Uint8Array
  readonly scanner?: JsonScanner | undefined
}

/**
 * Reads an answer that cannot be parsed to its end, which contains its usage, for at most the size limit again.
 * @throws GatewayError always, and errors of the transport.
 */
async function readTail(
  { body }: HttpAnswer,
  reader: AnswerReader,
  failure: GatewayError,
  { last: tail = new Uint8Array(), scanner }: ScannedPart = {},
): Promise<never> {
  let read = 0
  let isEnded = false
  while (read < reader.answerBytes) {
    const { done, value } = await body.next()
    isEnded = done === true
    if (done === true) break
    reader.received()
    read += value.byteLength
    scanner?.push(value)
    tail = Buffer.concat([tail.subarray(-TAIL_LENGTH), value.subarray(-TAIL_LENGTH)])
  }
  // An answer that was cut off is a failed attempt.
  if (isEnded && scanner?.isClosed === false) throw notJson(reader)
  reader.tail = new TextDecoder().decode(tail.subarray(-TAIL_LENGTH))
  if (failure.details.billedAnswer !== undefined || !reportsUsage(reader.tail)) throw failure
  throw new GatewayError(failure.kind, failure.message, BILLED)
}

/** Tracks the received size of an answer. It enforces the size limit and reserves memory. */
export class AnswerSize {
  readonly #reader: SizeReader
  #size = 0
  #taken = 0

  constructor(reader: SizeReader) {
    this.#reader = reader
  }

  get bytes(): number {
    return this.#size
  }

  get isSmall(): boolean {
    return this.#size <= SMALL_ANSWER
  }

  /** Whether the answer may take long to parse. */
  get isHeavy(): boolean {
    return this.#size > HEAVY_ANSWER
  }

  /**
   * Adds received bytes.
   * @throws GatewayError `upstream_error` if the answer is too large.
   */
  add(bytes: number): void {
    this.#size += bytes
    if (this.#size > this.#reader.answerBytes) throw tooLarge(this.#reader)
  }

  /**
   * Reserves memory for the answer.
   * @param parsed memory in bytes that the parsed values take.
   * @throws GatewayError `overloaded`.
   */
  reserve(parsed = 0): void {
    const needed = COPIES * this.#size + parsed
    this.#reader.memory.takeAnswer(needed - this.#taken)
    this.#taken = needed
  }
}

/** Scans the chunks of an answer. Chunks of a small answer are only scanned once the answer becomes large. */
function scanned(
  scanner: JsonScanner | undefined,
  chunks: readonly Uint8Array[],
  chunk: Uint8Array,
): JsonScanner {
  if (scanner !== undefined) {
    scanner.push(chunk)
    return scanner
  }
  const begun = new JsonScanner()
  for (const earlier of chunks) begun.push(earlier)
  return begun
}

/**
 * Whether an answer may be JSON, regardless of its headers. Parsing JSON may take more memory than its text.
 * @param first the first byte of the answer.
 */
function mayBeJson(first: number): boolean {
  return first === OPENING_BRACE || first === OPENING_BRACKET
}

function mediaTypeIsJson(answer: HttpAnswer): boolean {
  return answer.header("content-type")?.includes("json") ?? false
}

/**
 * Returns the error for an answer that is too large and not JSON. It is thrown immediately, without reading the rest.
 */
function notJson({ provider }: AnswerReader): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent an answer that is not JSON. Try again.`,
  )
}

function tooLarge({ provider, answerBytes }: SizeReader): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent an answer of more than ${Math.floor(answerBytes / MEBIBYTE)} MB, which was not read to its end. Ask for less at once, or ask the operator to raise 'limits.answer_mb'.`,
    BILLED,
  )
}

/** Returns the error of an answer that cannot be parsed; undefined if it can be, as far as it was scanned. */
function failureOf(scanner: JsonScanner, reader: AnswerReader): GatewayError | undefined {
  if (Math.max(scanner.values, scanner.elements) > MAX_VALUES) return tooMany(reader)
  const isTooDeep = scanner.isTooWide || scanner.deepest > MAX_JSON_DEPTH
  return isTooDeep ? tooComplex(reader.provider) : undefined
}

/** Returns the error for an answer of too many values. It is billed if it reports its usage; otherwise it is invalid. */
function tooMany({ provider }: AnswerReader): GatewayError {
  const max = MAX_VALUES.toLocaleString("en-US")
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent an answer of more than ${max} lists, objects and members or ${max} elements, which was not read to its end. Ask for less at once, or for a stream.`,
  )
}
