import { type EmbeddingRequest, inputCount, type Vector } from "./embedding.ts"
import type { GatewayError } from "./errors.ts"
import type { JsonValue } from "./json.ts"
import { LongValue } from "./long-value.ts"
import { unusable } from "./operation-response.ts"
import type { JsonPiece } from "./sliced-json-text.ts"

/** Bytes of a 32-bit float. */
const FLOAT_BYTES = 4
/** Maximum numbers of one vector. The vectors of all models are several times shorter. */
const MAX_DIMENSIONS = 65_536
/** Maximum characters of a vector in base64. */
const MAX_BASE64 = 4 * Math.ceil((MAX_DIMENSIONS * FLOAT_BYTES) / 3)

/**
 * Checks the number of vectors of all responses before they are converted, and returns their lists.
 * @throws GatewayError `upstream_error` if there are more vectors than inputs of the request.
 */
export function countedVectors(
  lists: readonly (readonly JsonValue[])[],
  { input }: Pick<EmbeddingRequest, "input">,
): readonly (readonly JsonValue[])[] {
  const wanted = inputCount(input)
  const count = lists.reduce((sum, { length }) => sum + length, 0)
  if (count <= wanted) return lists
  throw unusable(`it contains ${count} embeddings for ${wanted} inputs`)
}

/** Reads a vector of a response in either encoding. @throws GatewayError `upstream_error`. */
export function vectorOf(value: unknown): Vector {
  if (isTooLong(value)) throw tooLong()
  if (value instanceof LongValue) {
    if (value.type === "base64") requireFloats(value.count)
    return value
  }
  if (typeof value === "string") {
    floatsIn(value)
    return value
  }
  if (Array.isArray(value) && value.length > 0) {
    if (value.every((one) => typeof one === "number")) return value
    if (value.every((one) => typeof one === "number" || typeof one === "bigint")) {
      return value.map(Number)
    }
  }
  throw unusable("one of its embeddings is not a list of numbers")
}

/**
 * Decodes a vector from the base64 of signed bytes, and scales it to length one. The lengths of such vectors vary, but
 * callers multiply vectors without normalizing them.
 * @throws GatewayError `upstream_error`.
 */
export function vectorOfBytes(value: unknown): Vector {
  if (isTooLong(value)) throw tooLong()
  const bytes = typeof value === "string" ? Buffer.from(value, "base64") : undefined
  if (bytes === undefined || bytes.byteLength === 0) {
    throw unusable("one of its embeddings is not valid base64")
  }
  return unitVector(Array.from(Int8Array.from(bytes))).map(Math.fround)
}

function isTooLong(value: unknown): boolean {
  if (value instanceof LongValue) {
    return value.count > MAX_DIMENSIONS * (value.type === "base64" ? FLOAT_BYTES : 1)
  }
  if (typeof value === "string") return value.length > MAX_BASE64
  return Array.isArray(value) && value.length > MAX_DIMENSIONS
}

function tooLong(): GatewayError {
  const max = MAX_DIMENSIONS.toLocaleString("en-US")
  return unusable(`one of its embeddings has more than ${max} dimensions`)
}

/**
 * Returns the numbers of a vector. @throws GatewayError `upstream_error` if its base64 does not
 * contain floats.
 */
export function numbersOf(given: Vector): readonly number[] {
  const vector = parsed(given)
  if (typeof vector !== "string") return vector
  const { buffer, byteOffset, byteLength } = floatsIn(vector)
  // A Float32Array needs an aligned offset, which the bytes of a pooled buffer may not have.
  return Array.from(new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength)))
}

function floatsIn(base64: string): Buffer {
  const bytes = Buffer.from(base64, "base64")
  requireFloats(bytes.byteLength)
  return bytes
}

function requireFloats(bytes: number): void {
  if (bytes > 0 && bytes % FLOAT_BYTES === 0) return
  throw unusable("one of its embeddings is not the base64 of floats")
}

function parsed(vector: Vector): Exclude<Vector, LongValue> {
  return vector instanceof LongValue ? (vector.parse() as string | number[]) : vector
}

/**
 * Encodes a vector as base64 of little-endian floats (docs/contribute/wire/embeddings.md#f2). All machines
 * that run Bun are little-endian.
 */
export function base64Of(given: Vector): string {
  const vector = parsed(given)
  if (typeof vector === "string") return vector
  return Buffer.from(new Float32Array(vector).buffer).toString("base64")
}

/** Returns the JSON of a vector in an encoding. */
export function vectorJson(vector: Vector, encoding: EmbeddingRequest["encoding"]): JsonPiece {
  const isText = encoding === "base64"
  if (vector instanceof LongValue && (vector.type === "base64") === isText) return vector
  return JSON.stringify(isText ? base64Of(vector) : numbersOf(vector))
}

/** Scales a vector to length one. */
export function unitVector(vector: Vector): readonly number[] {
  const numbers = numbersOf(vector)
  const length = Math.sqrt(numbers.reduce((sum, number) => sum + number * number, 0))
  return length === 0 ? numbers : numbers.map((number) => number / length)
}

/**
 * Scales shortened vectors to length one, which callers of OpenAI's format expect. Google's API does not scale them.
 */
export function shortenedVectors(
  vectors: readonly Vector[],
  { dimensions, isGoogles }: Pick<EmbeddingRequest, "dimensions" | "isGoogles">,
): readonly Vector[] {
  return dimensions === undefined || isGoogles === true ? vectors : vectors.map(unitVector)
}

/**
 * Returns the cosine similarity of two vectors, from -1 to 1. @throws GatewayError if their lengths
 * differ.
 */
export function cosineOf(left: Vector, right: Vector): number {
  const [one, other] = [unitVector(left), unitVector(right)]
  if (one.length !== other.length) throw unusable("its embeddings have different lengths")
  const sum = one.reduce((total, number, index) => total + number * (other[index] ?? 0), 0)
  return Math.max(-1, Math.min(1, sum))
}
