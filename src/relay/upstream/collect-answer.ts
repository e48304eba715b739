import { GatewayError } from "../../canon/errors.ts"
import { MAX_JSON_DEPTH } from "../../canon/json.ts"
import { joinInSlices } from "../../canon/joined-bytes.ts"
import { JsonScanner } from "../../canon/json-structure.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import { ChunkList } from "../../wire/chunk-list.ts"
import type { FrameMemory } from "../../wire/frames.ts"
import type { HttpAnswer } from "../../wire/http/answer.ts"
import { tooComplex, TAIL_LENGTH } from "./unparsed-answer.ts"
import { detachBuffer } from "../../canon/detach-buffer.ts"

/** Answers up to this size are not counted as memory, because their request has been. Bytes. */
const SMALL_ANSWER = 64 * 1024
/** Answers over this size are parsed one at a time, so that other requests are served in between. Bytes. */
const HEAVY_ANSWER = 512 * 1024
/** A whole answer is in memory as received, as parsed, and as sent to the caller. */
const COPIES = 3
const OPENING_BRACE = 0x7b
const OPENING_BRACKET = 0x5b
/** Bytes that may precede JSON: white space and a byte order mark. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])
const MEBIBYTE = 1024 * 1024
/**
 * Maximum lists, objects and members of a whole answer, and elements of all its lists: more than the longest answer
 * with `logprobs` or the largest batch of embeddings. They are parsed in slices, and count as memory (decision 20).
 */
const MAX_VALUES = 10_000_000

/**
 * The request causes such an answer: the answers of other deployments would be alike, so they are not tried, and no
 * deployment rests.
 */
const BILLED = { providerError: "generation", billedAnswer: {} } as const

/** Reads a whole answer. */
export interface AnswerReader {
  readonly provider: string
  /** Maximum bytes that it takes, unpacked. */
  readonly answerBytes: number
  readonly memory: FrameMemory
  /** The end of a JSON answer that cannot be parsed, which contains its usage. */
  tail: string | undefined
  /** Called with each chunk. */
  received(): void
}

/** The last received chunks that may contain the end of an answer. */
const LAST_CHUNKS = 16

type SizeReader = Pick<AnswerReader, "provider" | "answerBytes" | "memory">

/** An answer that has arrived already and is too small to count; undefined: collect it. */
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
    // White space only keeps the connection alive.
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
    if (scanner !== undefined && hasTooMany(scanner)) throw tooMany(reader)
    if (scanner !== undefined && (scanner.isTooWide || scanner.deepest > MAX_JSON_DEPTH)) {
      const failure = tooComplex(reader.provider)
      if (!isJson) throw failure
      const last = Buffer.concat(list.chunks.slice(-LAST_CHUNKS))
      list.clear()
      return await readTail(answer, reader, failure, last)
    }
    size.reserve(scanner?.bytes)
  }
  // It is parsed as soon as it is returned.
  if (size.isHeavy) await ownTurn()
  const { chunks } = list
  const [only] = chunks
  if (chunks.length === 1 && only) return only
  const whole = await joinInSlices(chunks, size.bytes)
  // The garbage collector does not see the size of these buffers.
  if (!size.isSmall) for (const chunk of chunks) detachBuffer(chunk)
  return whole
}

/**
 * Reads an answer that cannot be parsed to its end, which contains its usage, for at most the size limit again.
 * @throws GatewayError always, and errors of the transport.
 */
async function readTail(
  { body }: HttpAnswer,
  reader: AnswerReader,
  failure: GatewayError,
  tail: Uint8Array = new Uint8Array(),
): Promise<never> {
  let read = 0
  while (read < reader.answerBytes) {
    const { done, value } = await body.next()
    if (done === true) break
    reader.received()
    read += value.byteLength
    tail = Buffer.concat([tail.subarray(-TAIL_LENGTH), value.subarray(-TAIL_LENGTH)])
  }
  reader.tail = new TextDecoder().decode(tail.subarray(-TAIL_LENGTH))
  throw failure
}

/** Tracks the received size of a collected answer, with its limit and its share of the process's memory. */
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

  /** Whether it may take long to parse. */
  get isHeavy(): boolean {
    return this.#size > HEAVY_ANSWER
  }

  /** @throws GatewayError `upstream_error` once it is too large. */
  add(bytes: number): void {
    this.#size += bytes
    if (this.#size > this.#reader.answerBytes) throw tooLarge(this.#reader)
  }

  /** @param parsed bytes of the parsed part. @throws GatewayError `overloaded`. */
  reserve(parsed = 0): void {
    const needed = COPIES * this.#size + parsed
    this.#reader.memory.takeAnswer(needed - this.#taken)
    this.#taken = needed
  }
}

/** Chunks of a small answer are scanned once it becomes large. */
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

/** Whether parsing may take more memory than the text, regardless of the headers. @param first its first byte. */
function mayBeJson(first: number): boolean {
  return first === OPENING_BRACE || first === OPENING_BRACKET
}

function mediaTypeIsJson(answer: HttpAnswer): boolean {
  return answer.header("content-type")?.includes("json") ?? false
}

/** Thrown as soon as the limit is exceeded, without reading the rest. */
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

function hasTooMany({ values, elements }: JsonScanner): boolean {
  return Math.max(values, elements) > MAX_VALUES
}

function tooMany({ provider }: AnswerReader): GatewayError {
  const max = MAX_VALUES.toLocaleString("en-US")
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent an answer of more than ${max} lists, objects and members or ${max} elements, which was not read to its end. Ask for less at once, or for a stream.`,
  )
}
