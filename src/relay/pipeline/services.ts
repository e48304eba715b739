import type { RateLimiter } from "../../limits/rate-limiter.ts"
import type { Health } from "../../routing/health.ts"
import type { HttpClient } from "../../wire/http/client.ts"
import type { Billing } from "../billing/billing.ts"
import type { Conversations } from "../chat/conversations.ts"
import type { ReasoningSigner } from "../chat/reasoning-envelope.ts"
import type { VendorState } from "../state/vendor-state.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import type { Contents } from "./payload-log.ts"
import type { DeadlineWatch } from "./deadline-watch.ts"
import type { Pipeline } from "./pipeline.ts"
import type { RuntimeConfig } from "./runtime-config.ts"

/** What the operator hears of. */
export interface RelayAlarms {
  attemptFailed(request: string, deployment: string, outcome: string): void
  /** A priced answer for which no usage is known. */
  usageMissing(request: string, deployment: string): void
  /** A request was passed on with something that its vendor bills and that has no price here. */
  unpricedPassed(request: string, deployment: string, places: readonly string[]): void
  /** A vendor counts something that is charged to nobody: once for each name and deployment. */
  usageUncharged(request: string, deployment: string, name: string): void
  /** A request failed for a reason of our own. */
  requestFailed(request: string, error: unknown): void
}

/** All that relays requests; what serves one of them takes of it what it needs. */
export interface RelayServices {
  readonly config: () => RuntimeConfig
  readonly pipeline: Pipeline
  readonly client: HttpClient
  readonly billing: Billing
  readonly limiter: RateLimiter
  readonly health: Health
  readonly watch: DeadlineWatch
  readonly alarms: RelayAlarms
  readonly signer: ReasoningSigner
  readonly counter: TokenCounter
  readonly contents: Contents
  readonly vendorState: VendorState
  readonly conversations: Conversations
  /** A silent stream gets a comment this often, milliseconds. */
  readonly keepAlive: number
}
