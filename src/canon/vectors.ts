import type { Vector } from "./embedding.ts"
import { unusable } from "./operation-answer.ts"

/** Bytes of a 32-bit float. */
const FLOAT_BYTES = 4
/** Enough digits to tell any two 32-bit floats apart. */
const FLOAT_DIGITS = 9

/** A vector from an answer, in either encoding. @throws GatewayError `upstream_error`. */
export function vectorOf(value: unknown): Vector {
  if (typeof value === "string") {
    floatsIn(value)
    return value
  }
  if (Array.isArray(value) && value.every((one) => typeof one === "number")) return value
  throw unusable("an embedding in it is no list of numbers")
}

/**
 * A vector from the base64 of signed bytes, normalized to length one: as bytes they have any length, and
 * callers multiply vectors without normalizing.
 * @throws GatewayError `upstream_error`.
 */
export function vectorOfBytes(value: unknown): Vector {
  const bytes = typeof value === "string" ? Buffer.from(value, "base64") : undefined
  if (bytes === undefined || bytes.byteLength === 0) {
    throw unusable("an embedding in it is not the base64 of bytes")
  }
  const unit = unitVector(Array.from(Int8Array.from(bytes)))
  return unit.map((number) => Number(number.toPrecision(FLOAT_DIGITS)))
}

/** The numbers of a vector. @throws GatewayError `upstream_error` when its base64 holds no floats. */
export function numbersOf(vector: Vector): readonly number[] {
  if (typeof vector !== "string") return vector
  const bytes = floatsIn(vector)
  const numbers: number[] = []
  for (let at = 0; at < bytes.byteLength; at += FLOAT_BYTES) {
    numbers.push(Number(bytes.readFloatLE(at).toPrecision(FLOAT_DIGITS)))
  }
  return numbers
}

function floatsIn(base64: string): Buffer {
  const bytes = Buffer.from(base64, "base64")
  if (bytes.byteLength > 0 && bytes.byteLength % FLOAT_BYTES === 0) return bytes
  throw unusable("an embedding in it is not the base64 of floats")
}

/** A vector as base64 of little-endian floats (docs/wire/embeddings.md#f2). */
export function base64Of(vector: Vector): string {
  if (typeof vector === "string") return vector
  const bytes = Buffer.allocUnsafe(vector.length * FLOAT_BYTES)
  vector.forEach((number, index) => bytes.writeFloatLE(number, index * FLOAT_BYTES))
  return bytes.toString("base64")
}

/** The vector of the same direction and of length one. */
export function unitVector(vector: Vector): readonly number[] {
  const numbers = numbersOf(vector)
  const length = Math.sqrt(numbers.reduce((sum, number) => sum + number * number, 0))
  return length === 0 ? numbers : numbers.map((number) => number / length)
}

/** How alike two vectors point: -1 to 1. @throws GatewayError when they have not one length. */
export function cosineOf(left: Vector, right: Vector): number {
  const [one, other] = [unitVector(left), unitVector(right)]
  if (one.length !== other.length) throw unusable("its embeddings are not of one length")
  const sum = one.reduce((total, number, index) => total + number * (other[index] ?? 0), 0)
  return Math.max(-1, Math.min(1, sum))
}
