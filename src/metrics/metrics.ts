import { ProcessMetrics, type ProcessParts } from "./process-metrics.ts"
import { MetricRegistry, type Snapshot } from "./registry.ts"
import { RequestMetrics } from "./request-metrics.ts"

/** The metrics of one process. */
export class Metrics {
  readonly requests: RequestMetrics
  readonly #registry = new MetricRegistry()
  readonly #process: ProcessMetrics

  constructor(parts: ProcessParts) {
    this.requests = new RequestMetrics(this.#registry)
    this.#process = new ProcessMetrics(this.#registry, parts)
  }

  async snapshot(): Promise<Snapshot> {
    await this.#process.update()
    return this.#registry.snapshot()
  }
}
