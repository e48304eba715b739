import { isJsonObject, type JsonObject, type JsonValue, UnparsedObject } from "./json.ts"
import { COPIED_BYTES } from "./joined-bytes.ts"
import type { LongValue } from "./long-value.ts"
import { ownTurn } from "./next-turn.ts"
import { SLICE_BYTES } from "./sliced-json.ts"

const HIGH_SURROGATE_START = 0xd800
const HIGH_SURROGATE_END = 0xdbff

export type JsonPiece = string | LongValue

/**
 * Serializes a value to the UTF-8 bytes of its JSON, in slices. Other requests are served between the slices, in a turn
 * of the event loop.
 */
export async function jsonBytesInSlices(value: JsonValue): Promise<Uint8Array<ArrayBuffer>> {
  await ownTurn()
  return await joinPieces(piecesOf(value))
}

/**
 * Joins the pieces of a JSON text to UTF-8 bytes. Other requests are served after each slice, in a turn of the event
 * loop.
 * @param pieces are created as they are read.
 */
export async function joinPieces(pieces: Iterable<JsonPiece>): Promise<Uint8Array<ArrayBuffer>> {
  const read: JsonPiece[] = []
  let bytes = 0
  let waiting = 0
  for (const piece of pieces) {
    const length = typeof piece === "string" ? Buffer.byteLength(piece) : piece.length
    read.push(piece)
    bytes += length
    waiting += length
    if (waiting < SLICE_BYTES) continue
    waiting = 0
    await ownTurn()
  }
  return await copied(read, bytes)
}

/** @param bytes total size of all pieces. */
async function copied(
  pieces: readonly JsonPiece[],
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const joined = Buffer.allocUnsafeSlow(bytes)
  let at = 0
  let turnAt = COPIED_BYTES
  for (const piece of pieces) {
    at += typeof piece === "string" ? joined.write(piece, at) : piece.copyTo(joined, at)
    if (at < turnAt) continue
    turnAt = at + COPIED_BYTES
    await ownTurn()
  }
  return joined
}

/** Minimum bytes of a request body that is serialized in slices. */
export const LARGE_BODY = 2 * SLICE_BYTES

/**
 * Reports whether a value is long enough to be serialized in slices.
 * @param limit characters of its JSON.
 */
export function isLargeJson(value: JsonValue, limit = LARGE_BODY): boolean {
  return approximateLength(value, limit) > limit
}

/** Serializes a value in pieces of at most about the length of a slice. */
export function* piecesOf(value: JsonValue): Generator<string, undefined> {
  if (approximateLength(value, SLICE_BYTES) <= SLICE_BYTES) yield JSON.stringify(value)
  else if (typeof value === "string") yield* piecesOfText(value)
  else if (Array.isArray(value)) yield* piecesOfList(value)
  else if (value instanceof UnparsedObject) yield* piecesOf(value.toJSON())
  else if (isJsonObject(value)) yield* piecesOfObject(value)
}

function* piecesOfText(text: string): Generator<string, undefined> {
  yield '"'
  for (const piece of piecesOfString(text, SLICE_BYTES)) yield JSON.stringify(piece).slice(1, -1)
  yield '"'
}

/** Splits a text into one or more pieces, never within a surrogate pair. */
export function* piecesOfString(text: string, maxLength: number): Generator<string, undefined> {
  let start = 0
  while (text.length - start > maxLength) {
    let end = start + maxLength
    const last = text.charCodeAt(end - 1)
    if (last >= HIGH_SURROGATE_START && last <= HIGH_SURROGATE_END) end--
    yield text.slice(start, end)
    start = end
  }
  yield start === 0 ? text : text.slice(start)
}

function* piecesOfList(list: readonly JsonValue[]): Generator<string, undefined> {
  yield "["
  let start = 0
  let weight = 0
  for (const [index, element] of list.entries()) {
    weight += approximateLength(element, SLICE_BYTES)
    if (weight <= SLICE_BYTES) continue
    if (index > start) yield `${elementsOf(list, start, index)},`
    yield* piecesOf(element)
    if (index < list.length - 1) yield ","
    start = index + 1
    weight = 0
  }
  if (start < list.length) yield elementsOf(list, start, list.length)
  yield "]"
}

function* piecesOfObject(object: JsonObject): Generator<string, undefined> {
  let before = "{"
  for (const name in object) {
    const member = object[name]
    if (member === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* piecesOf(member)
    before = ","
  }
  yield before === "{" ? "{}" : "}"
}

function elementsOf(list: readonly JsonValue[], start: number, end: number): string {
  return JSON.stringify(list.slice(start, end)).slice(1, -1)
}

/**
 * Returns the approximate length of a value's JSON in characters.
 * @param limit stops counting slightly above this length.
 */
export function approximateLength(value: JsonValue | undefined, limit = LARGE_BODY): number {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null) return 8
  let weight = 2
  if (Array.isArray(value)) {
    for (const element of value) {
      weight += 1 + approximateLength(element, limit - weight)
      if (weight > limit) break
    }
    return weight
  }
  for (const name in value) {
    weight += name.length + 4 + approximateLength(value[name], limit - weight)
    if (weight > limit) break
  }
  return weight
}
