import type { Loss } from "../../canon/extra.ts"
import { isNoUsage } from "../../canon/usage.ts"
import type { CountedUsage } from "../billing/priced-usage.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { Settlement } from "../../ledger/hold.ts"
import { addResponseHeaders, shownProvider } from "../pipeline/response-headers.ts"
import { CallEnded, type CallFailure } from "../lifetime/call-failure.ts"
import type { RequestContext } from "../pipeline/request-context.ts"
import type { OperationCandidate } from "./operation-candidate.ts"
import type { Rates } from "../../limits/rates.ts"
import type { Health } from "../../routing/health.ts"
import type { HttpClient } from "../../wire/http/client.ts"
import type { Billing } from "../billing/billing.ts"
import type { DeadlineWatch } from "../lifetime/deadline-watch.ts"
import type { Pipeline } from "../pipeline/pipeline.ts"
import type { RuntimeConfig } from "../request/runtime-config.ts"

/** The result of an operation at one deployment, with its losses. */
export interface Outcome<T> {
  readonly value: T
  readonly losses: readonly Loss[]
}

type SettlingServices = Pick<OperationServices, "pipeline" | "billing" | "alarms">

/**
 * An operation whose upstream has responded and whose credits are still held. It must be settled or released once.
 * Disposing of it releases a remaining hold.
 */
export class OpenOperation<T> implements Disposable {
  readonly value: T
  readonly deployment: Deployment
  readonly losses: readonly Loss[]
  /** Headers of the response that are known so far. */
  readonly headers: Record<string, string>
  readonly #services: SettlingServices
  readonly #context: RequestContext
  readonly #candidate: OperationCandidate
  #isOver = false

  constructor(
    services: SettlingServices,
    context: RequestContext,
    candidate: OperationCandidate,
    { value, losses }: Outcome<T>,
  ) {
    const { deployment, client } = candidate
    this.#candidate = candidate
    this.#services = services
    this.#context = context
    this.value = value
    this.deployment = deployment
    this.losses = losses
    this.headers = context.headers
    addResponseHeaders(this.headers, {
      provider: shownProvider(context.call, client),
      losses,
      balance: services.billing.balance(context.charge),
    })
  }

  /**
   * Charges the usage, and completes `headers`. Resolves when the charge is on disk.
   * @throws GatewayError `ledger_unavailable`, in which case the response must not be sent. The error states whether
   * the request was charged.
   */
  async settle({ usage, estimated }: CountedUsage): Promise<Settlement> {
    const { pipeline, billing, alarms } = this.#services
    const context = this.#context
    const { deployment, losses } = this
    this.#isOver = true
    context.cancellation[Symbol.dispose]()
    if (!estimated && isNoUsage(usage)) alarms.usageMissing(context.call.id, deployment.id)
    const calls = this.#candidate.chargedCalls
    const priced = billing.pricing.price(context.charge, deployment, { usage, estimated, calls })
    const settlement = await pipeline.settle(context, deployment, priced)
    pipeline.keepPayload(context)
    const { charged: cost, balance } = settlement
    addResponseHeaders(this.headers, { losses, cost, balance })
    return settlement
  }

  /** Ends the operation without a charge, because nothing was delivered. */
  release(reason: CallFailure): void {
    this.#isOver = true
    const { cancellation } = this.#context
    cancellation.end(reason)
    cancellation[Symbol.dispose]()
    this.#services.pipeline.release(this.#context)
  }
  [Symbol.dispose](): void {
    if (!this.#isOver) this.release(new CallEnded("not_needed"))
  }
}

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
