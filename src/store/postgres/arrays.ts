import type { Value } from "./connection-pool.ts"

/** Creates a parameter of type `text[]`. */
export function texts(values: readonly (string | null)[]): Value {
  return Bun.sql.array([...values], "TEXT")
}

/** Creates a parameter of type `bigint[]`. */
export function bigints(values: readonly (bigint | null)[]): Value {
  return Bun.sql.array([...values], "INT8")
}

/** Creates a parameter of type `bytea[]`. */
export function byteArrays(values: readonly Uint8Array[]): Value {
  return Bun.sql.array(
    values.map((value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength)),
    "BYTEA",
  )
}
