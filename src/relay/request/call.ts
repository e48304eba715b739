import type { JsonObject } from "../../canon/json.ts"
import type { Key } from "../../keys/key.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import type { Labels } from "../../accounting/labels.ts"
import type { RoutingPreferences } from "./routing-preferences.ts"
import type { RequestTrace } from "./request-trace.ts"

/** The waiting caller. Creating the signal is expensive, so it is requested late. */
export interface Caller {
  /** Aborted when the caller leaves, even if it left before this was first read. */
  readonly signal: AbortSignal
}

/** One request on its way through the gateway. */
export interface Call {
  /** `req_...`: the id of its answer's headers, its charge and its receipt. */
  readonly id: string
  readonly key: Key
  /** The endpoint's path, for the receipt. */
  readonly endpoint: string
  /** The body if it is JSON, stored for accounts with storage enabled. */
  readonly body?: JsonObject | undefined
  /** The size of the body as received, in bytes. */
  readonly bodyBytes: number
  /** Whether the body is ASCII, without escapes of other characters. Absent: not known. */
  readonly isAscii?: boolean
  /** Arrival in Unix milliseconds, for display. */
  readonly receivedAt: number
  /** The same moment by `performance.now()`, a clock that is never set, for durations. */
  readonly startedAt: number
  /** `x-tollgate-on-low-balance: refuse`: respond with 402 rather than a shorter answer. */
  readonly refuseOnLowBalance: boolean
  /** `x-tollgate-strict: true`: respond with 400 rather than lose parts of the request in translation. */
  readonly isStrict: boolean
  /** Models and providers that the request prefers; absent without preferences. */
  readonly preferences?: RoutingPreferences | undefined
  /** The labels of the request: user, session and tags; absent without labels. */
  readonly labels?: Labels | undefined
  /** Its share of the process's memory, until its answer is over. A stream disposes of it at its end. */
  readonly memory: Reservation
  /** Its place in a trace; absent if it is not traced. */
  readonly trace?: RequestTrace | undefined
  /** Whether the call is only an estimate, without a hold or an upstream call. */
  readonly isEstimate?: true
}

/** A chat request on its way. */
export interface ChatCall extends Call {
  readonly body: JsonObject
  /** Headers of the caller that are forwarded to a vendor of the caller's dialect, such as betas. */
  readonly forwarded: Readonly<Record<string, string>> | undefined
}

/** The answer to the caller. */
export interface Answer {
  /** Owned by the receiver of the answer, which adds its own headers. */
  readonly headers: Record<string, string>
  /** A complete text, also as UTF-8, or a stream that ends when its charge is on disk. */
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
}
