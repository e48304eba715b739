import { totalInput, totalOutput } from "../canon/usage.ts"
import type { Model } from "../catalog/model.ts"
import type { PendingCharge } from "../relay/billing/pending-charge.ts"
import { lastNeeded } from "../relay/billing/receipt.ts"
import type { RequestObserver, SettledRequest } from "../relay/billing/request-observer.ts"
import { LabelValues } from "./label-values.ts"
import type { MetricRegistry } from "./registry.ts"
import type { Distribution } from "./series.ts"

/** Maximum models and vendors that have their own time series. */
const MAX_MODELS = 200
const MAX_SERIES = 10_000

/** The series of one deployment, which are looked up only once. */
interface Series {
  readonly duration: Distribution
  readonly input: Distribution
  readonly output: Distribution
}

export interface GenAiNames {
  /** Returns the operation's name for a kind of model. */
  readonly operation: (kind: Model["kind"]) => string
  /** Returns the vendor's name for a provider. */
  readonly vendor: (provider: string) => string
}

/** Counts requests by OpenTelemetry's conventions for GenAI. */
export class GenAiMetrics implements RequestObserver {
  readonly #registry: MetricRegistry
  readonly #names: GenAiNames
  readonly #models = new LabelValues(MAX_MODELS)
  readonly #upstreamModels = new LabelValues(MAX_MODELS)
  readonly #vendors = new LabelValues(MAX_MODELS)
  readonly #series = new Map<string, Series>()

  constructor(registry: MetricRegistry, names: GenAiNames) {
    this.#registry = registry
    this.#names = names
  }

  settled({ charge, deployment, priced, endedAt }: SettledRequest): void {
    const key = `${charge.model.id} ${deployment.id}`
    let series = this.#series.get(key)
    if (series === undefined) {
      series = this.#seriesOf(charge, deployment.provider, deployment.upstreamModel)
      if (this.#series.size < MAX_SERIES) this.#series.set(key, series)
    }
    series.duration.observe(durationOf(charge, endedAt))
    const input = totalInput(priced.usage)
    const output = totalOutput(priced.usage)
    if (input > 0) series.input.observe(input)
    if (output > 0) series.output.observe(output)
  }

  released(charge: PendingCharge, endedAt: number): void {
    const last = lastNeeded(charge.attempts)
    const called = charge.model.deployments.find(({ id }) => id === last?.deployment)
    const labels = {
      ...this.#labelsOf(charge, called?.provider ?? "", called?.upstreamModel ?? ""),
      error_type: last?.outcome ?? "none",
    }
    const histogram = this.#registry.histogram("gen_ai_client_operation_duration_seconds")
    histogram.labels(labels).observe(durationOf(charge, endedAt))
  }

  #seriesOf(charge: PendingCharge, provider: string, upstreamModel: string): Series {
    const registry = this.#registry
    const labels = this.#labelsOf(charge, provider, upstreamModel)
    const tokens = registry.histogram("gen_ai_client_token_usage")
    return {
      duration: registry
        .histogram("gen_ai_client_operation_duration_seconds")
        .labels({ ...labels, error_type: "" }),
      input: tokens.labels({ ...labels, gen_ai_token_type: "input" }),
      output: tokens.labels({ ...labels, gen_ai_token_type: "output" }),
    }
  }

  #labelsOf({ model }: PendingCharge, provider: string, upstreamModel: string) {
    return {
      gen_ai_operation_name: this.#names.operation(model.kind),
      gen_ai_provider_name: this.#vendors.of(this.#names.vendor(provider)),
      gen_ai_request_model: this.#models.of(model.id),
      gen_ai_response_model: this.#upstreamModels.of(upstreamModel),
    }
  }
}

/** Returns the duration in seconds. */
function durationOf({ call }: PendingCharge, endedAt: number): number {
  return (endedAt - call.startedAt) / 1_000
}
