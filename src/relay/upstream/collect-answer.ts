import { GatewayError } from "../../canon/errors.ts"
import { JsonScanner } from "../../canon/json-structure.ts"
import type { FrameMemory } from "../../wire/frames.ts"
import type { HttpAnswer } from "../../wire/http/answer.ts"
import { detachBuffer } from "../../wire/detach-buffer.ts"

/** Answers up to this size are not counted: their request has been. Bytes. */
const SMALL_ANSWER = 64 * 1024
/** A whole answer is in memory as received, as parsed, and as sent to the caller. */
const COPIES = 3
const MEBIBYTE = 1024 * 1024
/** Lists, objects and members of a whole answer: as many are parsed and read in about a second (decision 20). */
const MAX_VALUES = 1_000_000

/** Reads a whole answer. */
export interface AnswerReader {
  readonly provider: string
  /** The most that it takes, unpacked. Bytes. */
  readonly answerBytes: number
  readonly memory: FrameMemory
  /** Called with each chunk. */
  received(): void
}

/** An answer that has arrived already and is too small to count; undefined: collect it. */
export function takeSmall(answer: HttpAnswer, reader: AnswerReader): Uint8Array | undefined {
  const whole = answer.takeWhole(Math.min(SMALL_ANSWER, reader.answerBytes))
  if (whole !== undefined) reader.received()
  return whole
}

/**
 * Reads an answer whole. What is over the limit is left where it is.
 * @throws GatewayError `upstream_error` of one that is too large, `overloaded`; what the transport throws.
 */
export async function collectAnswer(answer: HttpAnswer, reader: AnswerReader): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const size = new AnswerSize(reader)
  let scanner: JsonScanner | undefined
  for await (const chunk of answer.body) {
    reader.received()
    size.add(chunk.byteLength)
    chunks.push(chunk)
    if (size.isSmall) continue
    if (scanner !== undefined || mayBeJson(answer)) scanner = scanned(scanner, chunks, chunk)
    if (scanner !== undefined && scanner.values > MAX_VALUES) throw tooMany(reader)
    size.reserve(scanner?.bytes)
  }
  const [only] = chunks
  if (chunks.length === 1 && only) return only
  const whole = Buffer.concat(chunks)
  // The collector does not see how large this garbage is.
  if (!size.isSmall) for (const chunk of chunks) detachBuffer(chunk)
  return whole
}

/** How much of an answer that is collected has come: up to a limit, and with memory of the process. */
export class AnswerSize {
  readonly #reader: Omit<AnswerReader, "received">
  #size = 0
  #taken = 0

  constructor(reader: Omit<AnswerReader, "received">) {
    this.#reader = reader
  }

  get isSmall(): boolean {
    return this.#size <= SMALL_ANSWER
  }

  /** @throws GatewayError `upstream_error` once it is too large. */
  add(bytes: number): void {
    this.#size += bytes
    if (this.#size > this.#reader.answerBytes) throw tooLarge(this.#reader)
  }

  /** @param parsed bytes of what is parsed of it. @throws GatewayError `overloaded`. */
  reserve(parsed = 0): void {
    const needed = COPIES * this.#size + parsed
    this.#reader.memory.takeAnswer(needed - this.#taken)
    this.#taken = needed
  }
}

/** What came while the answer was small is scanned once it no longer is. */
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

/** Whether what is parsed of it takes more than its text. */
function mayBeJson(answer: HttpAnswer): boolean {
  return answer.header("content-type")?.includes("json") ?? true
}

function tooLarge({ provider, answerBytes }: Omit<AnswerReader, "received">): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent an answer of more than ${Math.floor(answerBytes / MEBIBYTE)} MB, which was not read to its end. Ask for less at once, or ask the operator to raise 'limits.answer_mb'.`,
  )
}

function tooMany({ provider }: AnswerReader): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' sent an answer of more than ${MAX_VALUES.toLocaleString("en-US")} lists, objects and members, which was not read to its end. Ask for less at once, or for a stream.`,
  )
}
