import type { PendingCharge } from "../billing/pending-charge.ts"
import type { Call, Caller } from "../request/call.ts"
import type { Cancellation } from "./cancellation.ts"
import type { RateUsage } from "./rate-usage.ts"
import type { RuntimeConfig } from "../request/runtime-config.ts"

/** A request whose model is known and whose rates are counted: its money comes next. */
export interface ReceivedRequest {
  readonly call: Call
  readonly caller: Caller
  /** The configuration it began with: what changes meanwhile is not for it. */
  readonly config: RuntimeConfig
  readonly rate: RateUsage
  /** Its number in the event-loop monitor. */
  readonly work: number
}

/** A request whose money is held: what everything that serves it shares. */
export interface RequestContext {
  readonly call: Call
  readonly config: RuntimeConfig
  readonly charge: PendingCharge
  /** What it uses of its key's rates. */
  readonly rate: RateUsage
  /** Of the answer, as they become known. */
  readonly headers: Record<string, string>
  readonly cancellation: Cancellation
}
