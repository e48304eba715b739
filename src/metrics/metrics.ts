import type { RequestObserver } from "../relay/billing/request-observer.ts"
import { GenAiMetrics, type GenAiNames } from "./gen-ai-metrics.ts"
import { ProcessMetrics, type ProcessParts } from "./process-metrics.ts"
import { MetricRegistry, type Snapshot } from "./registry.ts"
import { RequestMetrics } from "./request-metrics.ts"

/** The metrics of one process. */
export class Metrics {
  readonly requests: RequestMetrics
  /** Observers that count ended requests. */
  readonly observers: readonly RequestObserver[]
  readonly #registry: MetricRegistry
  readonly #process: ProcessMetrics

  /** @param names the names in OpenTelemetry's conventions. If absent, no GenAI metrics are counted. */
  constructor(parts: ProcessParts, names?: GenAiNames) {
    const registry = new MetricRegistry(names !== undefined)
    this.requests = new RequestMetrics(registry)
    this.observers = names ? [this.requests, new GenAiMetrics(registry, names)] : [this.requests]
    this.#process = new ProcessMetrics(registry, parts)
    this.#registry = registry
  }

  async snapshot(): Promise<Snapshot> {
    await this.#process.update()
    return this.#registry.snapshot()
  }
}
