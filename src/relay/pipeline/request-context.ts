import type { PendingCharge } from "../billing/pending-charge.ts"
import type { Call, Caller } from "../request/call.ts"
import type { Cancellation } from "./cancellation.ts"
import type { RateUsage } from "./rate-usage.ts"
import type { RuntimeConfig } from "../request/runtime-config.ts"

/** A request with a known model and counted rates, before its hold. */
export interface ReceivedRequest {
  readonly call: Call
  readonly caller: Caller
  /** The configuration at its start. Later changes do not affect it. */
  readonly config: RuntimeConfig
  readonly rate: RateUsage
  /** Its number in the event-loop monitor. */
  readonly work: number
}

/** A request with its hold, and everything shared while it is served. */
export interface RequestContext {
  readonly call: Call
  readonly config: RuntimeConfig
  readonly charge: PendingCharge
  /** Its usage of the key's rates. */
  readonly rate: RateUsage
  /** Headers of the answer, added as they become known. */
  readonly headers: Record<string, string>
  readonly cancellation: Cancellation
}
