import type { JsonObject } from "../canon/json.ts"
import type { Key } from "../keys/key.ts"

/** One request on its way through the gateway. */
export interface Call {
  /** `req_...`: the id of its answer's headers, its charge and its receipt. */
  readonly id: string
  readonly key: Key
  /** The endpoint's path, for the receipt. */
  readonly endpoint: string
  readonly body: JsonObject
  /** The size of the body as it came, in bytes. */
  readonly bodyBytes: number
  /** Unix milliseconds. */
  readonly receivedAt: number
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  /** `x-tollgate-on-low-balance: refuse`: 402 rather than a shorter answer. */
  readonly refuseOnLowBalance: boolean
}

/** What goes back to the caller. */
export interface Answer {
  readonly headers: Readonly<Record<string, string>>
  /** A text that is whole, or a stream that ends when its charge is on disk. */
  readonly body: string | ReadableStream<Uint8Array>
}
