import { Fleet } from "../metrics/fleet.ts"
import type { Snapshot } from "../metrics/registry.ts"

/** How long is waited for the metrics of the workers; of one that hangs the last ones count. Milliseconds. */
const PATIENCE = 2_000

/** What a worker sends about metrics: its own, or that it needs those of all. */
export type MetricsFromWorker =
  | { readonly kind: "metrics"; readonly snapshot: Snapshot }
  | { readonly kind: "all-metrics-wanted" }

/** What it is sent: that its own are wanted, or those of all as text; undefined when that failed. */
export type MetricsToWorker =
  | { readonly kind: "metrics-wanted" }
  | { readonly kind: "all-metrics"; readonly text: string | undefined }

type Worker = Pick<Bun.Subprocess, "pid" | "send">

/** The metrics of all workers, gathered by their parent when somebody asks one of them. */
export class WorkerMetrics {
  readonly #workers: () => readonly Worker[]
  readonly #fleet = new Fleet(async (snapshots) => {
    const { sumOf } = await import("../metrics/registry.ts")
    return sumOf(snapshots)
  })
  readonly #missing = new Set<number>()
  #complete: (() => void) | undefined
  #gathering: Promise<readonly Snapshot[]> | undefined

  /** @param workers those that run. */
  constructor(workers: () => readonly Worker[]) {
    this.#workers = workers
  }

  take(worker: Worker, message: MetricsFromWorker): void {
    if (message.kind === "all-metrics-wanted") return void this.#answer(worker)
    this.#fleet.heard(worker.pid, message.snapshot)
    this.#isComplete(worker.pid)
  }

  ended({ pid }: Worker): void {
    this.#fleet.ended(pid)
    this.#isComplete(pid)
  }

  /** Those of all of them. Who asks meanwhile gets the same. */
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
    const timer = setTimeout(resolve, PATIENCE)
    if (this.#missing.size > 0) await promise
    clearTimeout(timer)
    this.#missing.clear()
    return this.#fleet.all()
  }

  async #answer(worker: Worker): Promise<void> {
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

/** Whether a worker still takes messages. */
function sent(worker: Worker, message: MetricsToWorker): boolean {
  try {
    worker.send(message)
    return true
  } catch {
    return false
  }
}
