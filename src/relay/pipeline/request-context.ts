import type { PendingCharge } from "../billing/pending-charge.ts"
import type { Call } from "./call.ts"
import type { Cancellation } from "./cancellation.ts"
import type { RateUsage } from "./rate-usage.ts"
import type { RuntimeConfig } from "./runtime-config.ts"

/** A request whose money is held: what everything that serves it shares. */
export interface RequestContext {
  readonly call: Call
  /** The one it began with: settings that change meanwhile are not its own. */
  readonly config: RuntimeConfig
  readonly charge: PendingCharge
  /** What it uses of its key's rates. */
  readonly rate: RateUsage
  /** Of the answer, as they become known. */
  readonly headers: Record<string, string>
  readonly cancellation: Cancellation
}
