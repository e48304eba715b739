import { isJsonObject, type JsonValue, parseExactly, parseJson } from "./json.ts"
import { type LongSpans, MAX_SHORT_BYTES } from "./long-spans.ts"
import { ownTurn } from "./next-turn.ts"
import { parseInSlices, SLICE_BYTES } from "./sliced-json.ts"

/** Maximum bytes of a text after its long values were cut out. A longer text is parsed whole. */
const MAX_REST_BYTES = 2 * SLICE_BYTES
/** Length of a mark, which replaces a long value. Every other string that remains in the text is shorter. */
const MARK_LENGTH = MAX_SHORT_BYTES
/** Bytes of a mark with its quotes. */
const MARK_BYTES = MARK_LENGTH + 2
const QUOTE = 0x22
const PADDING = 0x3d
const MAX_PADDING = 2
const DECODER = new TextDecoder()

/** A long value of a JSON text that is passed on without being parsed. */
export class LongValue {
  readonly type: "base64" | "numbers"
  /** The number of encoded bytes, or of numbers. */
  readonly count: number
  readonly #source: Buffer
  readonly #start: number
  readonly #end: number

  /**
   * @param source contains the value from `start` to `end`: valid JSON in ASCII, which is a string of base64 without
   *   escapes, or a list of finite numbers.
   */
  constructor(
    source: Buffer,
    [start, end]: readonly [number, number],
    type: "base64" | "numbers",
    count: number,
  ) {
    this.#source = source
    this.#start = start
    this.#end = end
    this.type = type
    this.count = count
  }

  /** The length of the value's JSON in bytes. */
  get length(): number {
    return this.#end - this.#start
  }

  /** Copies the JSON to an offset of a buffer. Returns its length in bytes. */
  copyTo(target: Buffer, offset: number): number {
    return this.#source.copy(target, offset, this.#start, this.#end)
  }

  /** Returns the string, or the list of numbers. */
  parse(): JsonValue {
    return JSON.parse(this.#source.toString("latin1", this.#start, this.#end)) as JsonValue
  }
}

/** A value that was cut out of the text. */
type CutValue = JsonValue | LongValue

/** Parses JSON of any length. Returns undefined if the text is not JSON. */
export async function parseWhole(bytes: Buffer): Promise<JsonValue | undefined> {
  if (bytes.length <= SLICE_BYTES) return parseJson(DECODER.decode(bytes))
  try {
    return await parseInSlices(bytes)
  } catch {
    return undefined
  }
}

/**
 * Parses JSON like `parseWhole`, except that base64 and lists of numbers in members of the given name are `LongValue`s
 * if they are long.
 */
export async function parseAround(
  bytes: Buffer,
  spans: LongSpans,
  name: string,
): Promise<JsonValue | undefined> {
  if (spans.starts.length === 0 || restBytes(bytes, spans) > MAX_REST_BYTES) {
    return await parseWhole(bytes)
  }
  try {
    const values = await valuesOf(bytes, spans)
    const text = restOf(bytes, spans)
    const rest =
      text.length > SLICE_BYTES ? await parseInSlices(Buffer.from(text)) : parseJson(text)
    return rest === undefined ? undefined : restored(rest, values, name)
  } catch {
    return undefined
  }
}

/** @throws SyntaxError */
async function valuesOf(bytes: Buffer, { starts, ends }: LongSpans): Promise<readonly CutValue[]> {
  const values: CutValue[] = []
  let readBytes = 0
  for (const [index, start] of starts.entries()) {
    const end = ends[index] ?? start
    const base64 = base64In(bytes, start, end)
    values.push(base64 ?? (await valueIn(bytes, start, end)))
    readBytes += end - start
    if (readBytes < SLICE_BYTES) continue
    readBytes = 0
    await ownTurn()
  }
  return values
}

/** For each byte, 1 if it is a character of base64, else 0. */
const BASE64 = new Uint8Array(256)
for (const code of Buffer.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
)) {
  BASE64[code] = 1
}

/** Returns a string that consists of base64; undefined for any other value. */
function base64In(bytes: Buffer, start: number, end: number): LongValue | undefined {
  if (bytes[start] !== QUOTE || end - start > SLICE_BYTES) return undefined
  let last = end - 2
  while (bytes[last] === PADDING && end - 2 - last < MAX_PADDING) last--
  if (!isBase64(bytes, start + 1, last + 1)) return undefined
  // Four characters encode three bytes.
  const count = Math.floor(((last - start) * 3) / 4)
  return new LongValue(bytes, [start, end], "base64", count)
}

function isBase64(bytes: Buffer, start: number, end: number): boolean {
  let at = start
  let all = 1
  // Checking four bytes in one step takes two thirds of the time.
  for (; at + 3 < end; at += 4) {
    all &= codeAt(bytes, at) & codeAt(bytes, at + 1) & codeAt(bytes, at + 2) & codeAt(bytes, at + 3)
  }
  for (; at < end; at++) all &= codeAt(bytes, at)
  return all === 1
}

function codeAt(bytes: Buffer, at: number): number {
  return BASE64[bytes[at] ?? 0] ?? 0
}

/** @throws SyntaxError */
async function valueIn(bytes: Buffer, start: number, end: number): Promise<CutValue> {
  const json = bytes.subarray(start, end)
  const isLarge = json.length > SLICE_BYTES
  const value = isLarge ? await parseInSlices(json) : parseExactly(DECODER.decode(json))
  if (isLarge || !Array.isArray(value) || !value.every(Number.isFinite)) return value
  return new LongValue(bytes, [start, end], "numbers", value.length)
}

/** Returns the length in bytes of the text with marks in place of the long values. */
function restBytes({ length }: Buffer, { starts, ends }: LongSpans): number {
  return starts.reduce((sum, start, index) => sum + start + MARK_BYTES - (ends[index] ?? 0), length)
}

/** Returns the text with a mark in place of each long value. A mark is a string with the number of the value. */
function restOf(bytes: Buffer, { starts, ends }: LongSpans): string {
  let text = ""
  let from = 0
  for (const [index, start] of starts.entries()) {
    text += `${bytes.toString("utf8", from, start)}"${String(index).padStart(MARK_LENGTH, "0")}"`
    from = ends[index] ?? start
  }
  text += bytes.toString("utf8", from)
  return text.startsWith("\uFEFF") ? text.slice(1) : text
}

/** Replaces the marks in a value with the values that were cut out. */
function restored(
  found: JsonValue,
  values: readonly CutValue[],
  name: string,
  isKept = false,
): JsonValue {
  if (typeof found === "string") {
    if (found.length !== MARK_LENGTH) return found
    const value = values[Number(found)] ?? found
    if (!(value instanceof LongValue)) return value
    // A `LongValue` is not a JSON value. Only readers of this member expect it.
    return isKept ? (value as unknown as JsonValue) : value.parse()
  }
  if (Array.isArray(found)) {
    for (const [index, element] of found.entries()) found[index] = restored(element, values, name)
  } else if (isJsonObject(found)) {
    for (const member in found) {
      const value = found[member]
      if (value !== undefined) found[member] = restored(value, values, name, member === name)
    }
  }
  return found
}
