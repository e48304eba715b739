import type { Snapshot } from "../metrics/registry.ts"

/** Maximum wait for metrics. Afterwards, the last known metrics of a blocked worker are used. */
const GATHER_TIMEOUT_MS = 2_000

/** A message from a worker, which contains its own metrics or requests the metrics of all workers. */
export type MetricsFromWorker =
  | { readonly kind: "metrics"; readonly snapshot: Snapshot }
  | { readonly kind: "all-metrics-wanted" }

/**
 * A message to a worker, which requests its metrics or contains the metrics of all workers as text (undefined on
 * failure).
 */
export type MetricsToWorker =
  | { readonly kind: "metrics-wanted" }
  | { readonly kind: "all-metrics"; readonly text: string | undefined }

type Worker = Pick<Bun.Subprocess, "pid" | "send">

/** Collects the metrics of all workers in their parent, when any worker receives a request for metrics. */
export class WorkerMetrics {
  readonly #workers: () => readonly Worker[]
  readonly #fleet = new Fleet(async (snapshots) => {
    const { sumOf } = await import("../metrics/registry.ts")
    return sumOf(snapshots)
  })
  readonly #missing = new Set<number>()
  #complete: (() => void) | undefined
  #gathering: Promise<readonly Snapshot[]> | undefined

  /** @param workers returns the running workers. */
  constructor(workers: () => readonly Worker[]) {
    this.#workers = workers
  }

  take(worker: Worker, message: MetricsFromWorker): void {
    if (message.kind === "all-metrics-wanted") return void this.#response(worker)
    this.#fleet.update(worker.pid, message.snapshot)
    this.#isComplete(worker.pid)
  }

  ended({ pid }: Worker): void {
    this.#fleet.remove(pid)
    this.#isComplete(pid)
  }

  /** Collects the metrics of all workers. Concurrent calls share one result. */
  gather(): Promise<readonly Snapshot[]> {
    this.#gathering ??= this.#gather().finally(() => (this.#gathering = undefined))
    return this.#gathering
  }

  async #gather(): Promise<readonly Snapshot[]> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#complete = resolve
    for (const worker of this.#workers()) {
      if (sent(worker, { kind: "metrics-wanted" })) this.#missing.add(worker.pid)
    }
    const timer = setTimeout(resolve, GATHER_TIMEOUT_MS)
    if (this.#missing.size > 0) await promise
    clearTimeout(timer)
    this.#missing.clear()
    return this.#fleet.all()
  }

  async #response(worker: Worker): Promise<void> {
    const text = await this.#text().catch(() => undefined)
    sent(worker, { kind: "all-metrics", text })
  }

  async #text(): Promise<string> {
    const { textOf } = await import("../metrics/registry.ts")
    return textOf(await this.gather())
  }

  #isComplete(processId: number): void {
    this.#missing.delete(processId)
    if (this.#missing.size === 0) this.#complete?.()
  }
}

/** Sends a message to a worker. Returns whether the worker still accepts messages. */
function sent(worker: Worker, message: MetricsToWorker): boolean {
  try {
    worker.send(message)
    return true
  } catch {
    return false
  }
}

/** Gauges describe the current state, so gauges of ended processes are dropped. */
const GAUGE = "gauge"

/**
 * The metrics of several processes that start and end. The last known counts of an ended process are kept, so that no
 * counter ever decreases.
 */
class Fleet {
  /** The last snapshot of each running process. */
  readonly #last = new Map<number, Snapshot>()
  #ended: Snapshot[] = []
  readonly #merge: (snapshots: readonly Snapshot[]) => Promise<Snapshot>

  /** @param merge adds up snapshots. */
  constructor(merge: (snapshots: readonly Snapshot[]) => Promise<Snapshot>) {
    this.#merge = merge
  }

  /** Stores the snapshot of a process. */
  update(processId: number, snapshot: Snapshot): void {
    this.#last.set(processId, snapshot)
  }

  /** Keeps the counters of an ended process. */
  remove(processId: number): void {
    const last = this.#last.get(processId)
    if (last === undefined) return
    this.#last.delete(processId)
    this.#ended.push(last.filter(({ type }) => String(type) !== GAUGE))
  }

  /** Returns the counts of all processes, and the gauges of running ones. */
  async all(): Promise<readonly Snapshot[]> {
    // Counts of ended processes are merged, so that frequent restarts do not fill the memory.
    if (this.#ended.length > 1) this.#ended = [await this.#merge(this.#ended.splice(0))]
    return [...this.#ended, ...this.#last.values()]
  }
}
