import type { PendingCharge } from "../billing/pending-charge.ts"
import type { Call, Caller } from "../request/call.ts"
import type { Cancellation } from "./cancellation.ts"
import type { RateUsage } from "./rate-usage.ts"
import type { RuntimeConfig } from "../request/runtime-config.ts"

/** A request before its hold. Its model is known, and it has been counted in the rate limits. */
export interface ReceivedRequest {
  readonly call: Call
  readonly caller: Caller
  /** The configuration at the start of the request. Later changes do not affect the request. */
  readonly config: RuntimeConfig
  readonly rate: RateUsage
  /** The number of the request in the event-loop monitor. */
  readonly work: number
}

/** A request with its hold, and all data that is shared while it is served. */
export interface RequestContext {
  readonly call: Call
  readonly config: RuntimeConfig
  readonly charge: PendingCharge
  /** The request's usage of the key's rate limits. */
  readonly rate: RateUsage
  /** Headers of the response. They are added when their values become known. */
  readonly headers: Record<string, string>
  readonly cancellation: Cancellation
}
