import type { JsonObject } from "../../canon/json.ts"
import type { Key } from "../../keys/key.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import type { Labels } from "../../accounting/labels.ts"
import type { RoutingPreferences } from "./routing-preferences.ts"
import type { RequestTrace } from "./request-trace.ts"

/**
 * The caller that waits for a response. Creating the signal is expensive, so it is only created when it is first read.
 */
export interface Caller {
  /** Aborted when the caller disconnects, even if that happened before the signal was first read. */
  readonly signal: AbortSignal
}

/** A request while the gateway processes it. */
export interface Call {
  /** The id `req_...`, which is in the headers of the response, in the charge and on the receipt. */
  readonly id: string
  readonly key: Key
  /** The path of the endpoint, for the receipt. */
  readonly endpoint: string
  /** The body if it is JSON. It is stored for accounts with storage enabled. */
  readonly body?: JsonObject | undefined
  /** Size of the body as received, in bytes. */
  readonly bodyBytes: number
  /** Whether the body is ASCII and contains no escapes of other characters; absent if unknown. */
  readonly isAscii?: boolean | undefined
  /** Headers of the caller, such as beta headers, that are forwarded to vendors that use the caller's dialect. */
  readonly forwarded?: Readonly<Record<string, string>> | undefined
  /** Arrival time in Unix milliseconds, for display. */
  readonly receivedAt: number
  /** Arrival time as returned by `performance.now()`, a clock that is never adjusted, for durations. */
  readonly startedAt: number
  /**
   * Whether the caller sent `x-tollgate-on-low-balance: refuse`, which requests a 402 error instead of a shorter
   * response.
   */
  readonly rejectOnLowBalance: boolean
  /**
   * Whether the caller sent `x-tollgate-strict: true`, which requests a 400 response if parts of the request would be
   * lost.
   */
  readonly isStrict: boolean
  /** Models and providers that the request prefers; absent if it has no preferences. */
  readonly preferences?: RoutingPreferences | undefined
  /** The labels of the request: user, session and tags; absent if it has no labels. */
  readonly labels?: Labels | undefined
  /** The memory that is reserved for the request until its response has ended. A stream disposes of it at its end. */
  readonly memory: Reservation
  /**
   * Called when the last bytes of a stream have been passed on, before the stream is closed.
   * @param isLarge whether the caller may need a long time to read them.
   */
  readonly onStreamEnd?: (isLarge: boolean) => void
  /** Whether multipliers, providers and deployments are hidden from the caller. */
  readonly hidesCosts?: boolean
  /** The place of the request in a trace; absent if the request is not traced. */
  readonly trace?: RequestTrace | undefined
  /** Set if the call is only an estimate, without a hold or an upstream call. */
  readonly isEstimate?: true
}

/** A chat request while the gateway processes it. */
export interface ChatCall extends Call {
  readonly body: JsonObject
}

/** The response that is sent to the caller. */
export interface EndpointResponse {
  /** Headers of the response. The receiver owns this object and adds its own headers. */
  readonly headers: Record<string, string>
  /** A complete text as a string or as UTF-8, or a stream that ends after its charge is on disk. */
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
}
