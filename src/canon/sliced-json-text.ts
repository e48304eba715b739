import { isJsonObject, type JsonObject, type JsonValue, UnparsedObject } from "./json.ts"
import { joinInSlices } from "./joined-bytes.ts"
import { ownTurn } from "./next-turn.ts"
import { SLICE_BYTES } from "./sliced-json.ts"

const HIGH_SURROGATE_START = 0xd800
const HIGH_SURROGATE_END = 0xdbff

/**
 * Serializes a value as `JSON.stringify` does, to UTF-8 bytes, in slices. Other requests are served between the slices,
 * in a turn of the event loop.
 */
export async function jsonBytesInSlices(value: JsonValue): Promise<Uint8Array<ArrayBuffer>> {
  const slices: Uint8Array[] = []
  let bytes = 0
  let text = ""
  const encode = (): void => {
    const slice = Buffer.from(text)
    slices.push(slice)
    bytes += slice.byteLength
    text = ""
  }
  await ownTurn()
  for (const piece of piecesOf(value)) {
    text += piece
    if (text.length < SLICE_BYTES) continue
    encode()
    await ownTurn()
  }
  encode()
  return await joinInSlices(slices, bytes)
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
    // Keeps both halves of a surrogate pair together.
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
