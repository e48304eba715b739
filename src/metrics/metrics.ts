import type { RequestObserver } from "../relay/billing/request-observer.ts"
import type { Catalog } from "../catalog/catalog.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { approximateCredits } from "../ledger/money.ts"
import type { MemoryBudget } from "../limits/memory-budget.ts"
import type { BackupAge } from "../notices/backup-age.ts"
import type { Health } from "../routing/health.ts"
import type { LineSink } from "../sinks/line-sink.ts"
import { GenAiMetrics, type GenAiNames } from "./gen-ai-metrics.ts"
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

/** Maximum deployments that have time series. */
const MAX_DEPLOYMENTS = 1_000
const MICROSECONDS = 1e6
const MILLISECONDS = 1e3

interface ProcessParts {
  readonly ledger: Pick<Ledger, "open" | "totals" | "waiting" | "failure">
  readonly health: Pick<Health, "report">
  readonly memory: Pick<MemoryBudget, "held" | "limit">
  readonly catalog: () => Catalog
  readonly sinks: readonly Pick<LineSink, "name" | "counts">[]
  readonly backup: () => Promise<BackupAge>
}

/** Gauges of this process, which are updated when metrics are requested. */
class ProcessMetrics {
  readonly #registry: MetricRegistry
  readonly #parts: ProcessParts
  /** Processor time that was already counted, in microseconds. */
  #counted = 0
  /** Lines that were already counted, by sink. */
  readonly #lines = new Map<string, LineSink["counts"]>()

  constructor(registry: MetricRegistry, parts: ProcessParts) {
    this.#registry = registry
    this.#parts = parts
  }

  async update(): Promise<void> {
    const { ledger, memory } = this.#parts
    const registry = this.#registry
    const { held, leased } = ledger.totals
    registry.gauge("tollgate_open_requests").set(ledger.open)
    registry.gauge("tollgate_held_credits").set(approximateCredits(held))
    registry.gauge("tollgate_leased_credits").set(approximateCredits(leased))
    registry.gauge("tollgate_journal_pending").set(ledger.waiting)
    registry.gauge("tollgate_processes_ready").set(ledger.failure === undefined ? 1 : 0)
    registry.gauge("tollgate_request_memory_bytes").set(memory.held)
    registry.gauge("tollgate_request_memory_limit_bytes").set(memory.limit)
    registry.gauge("tollgate_resident_memory_bytes").set(process.memoryUsage.rss())
    registry.gauge("tollgate_processes").set(1)
    this.#deployments()
    this.#sinks()
    this.#processor()
    await this.#backup()
    registry.gauge("tollgate_event_loop_delay_seconds").set(await eventLoopDelay())
  }

  #deployments(): void {
    const { health, catalog } = this.#parts
    const gauge = this.#registry.gauge("tollgate_deployment_cooling_down")
    gauge.reset()
    const ids = catalog()
      .list()
      .flatMap(({ deployments }) => deployments.map(({ id }) => id))
    for (const deployment of new Set(ids.slice(0, MAX_DEPLOYMENTS))) {
      gauge.set({ deployment }, health.report(deployment).state === "cooling_down" ? 1 : 0)
    }
  }

  #sinks(): void {
    const counter = this.#registry.counter("tollgate_request_lines_total")
    const waiting = this.#registry.gauge("tollgate_request_lines_pending")
    for (const { name: sink, counts } of this.#parts.sinks) {
      const before = this.#lines.get(sink)
      counter.labels({ sink, outcome: "written" }).add(counts.written - (before?.written ?? 0))
      counter.labels({ sink, outcome: "dropped" }).add(counts.dropped - (before?.dropped ?? 0))
      waiting.set({ sink }, counts.waiting)
      this.#lines.set(sink, counts)
    }
  }

  /** Updates the metrics of backups. While the database is unavailable, they keep their last values. */
  async #backup(): Promise<void> {
    const age = await this.#parts.backup().catch(() => undefined)
    if (age === undefined) return
    const { last, isOverdue } = age
    this.#registry.gauge("tollgate_backup_overdue").set(isOverdue ? 1 : 0)
    this.#registry
      .gauge("tollgate_last_backup_timestamp_seconds")
      .set((last?.at ?? 0) / MILLISECONDS)
  }

  #processor(): void {
    const { user, system } = process.cpuUsage()
    const counter = this.#registry.counter("tollgate_cpu_seconds_total")
    counter.labels({}).add((user + system - this.#counted) / MICROSECONDS)
    this.#counted = user + system
  }
}

/** Measures how long an event-loop turn currently takes, in seconds. */
async function eventLoopDelay(): Promise<number> {
  const begun = performance.now()
  await new Promise((resolve) => setImmediate(resolve))
  return (performance.now() - begun) / 1_000
}
