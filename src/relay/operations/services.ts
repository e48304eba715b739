import type { Rates } from "../../limits/rates.ts"
import type { Health } from "../../routing/health.ts"
import type { HttpClient } from "../../wire/http/client.ts"
import type { Billing } from "../billing/billing.ts"
import type { DeadlineWatch } from "../lifetime/deadline-watch.ts"
import type { Pipeline } from "../pipeline/pipeline.ts"
import type { RuntimeConfig } from "../request/runtime-config.ts"

/** The services that operations need. */
export interface OperationServices {
  readonly config: () => RuntimeConfig
  readonly pipeline: Pipeline
  readonly billing: Billing
  readonly limiter: Rates
  readonly watch: DeadlineWatch
  /** The HTTP client for calls that are made before the request is complete. */
  readonly client: HttpClient
  readonly health: Health
  readonly alarms: UsageAlarms
}

/** Findings about usage that are reported to the operator. */
export interface UsageAlarms {
  /** Reports a priced response whose usage is unknown. */
  usageMissing(request: string, deployment: string): void
}
