import type { Snapshot } from "./registry.ts"

/** Gauges describe the current state, so gauges of ended processes are dropped. */
const GAUGE = "gauge"

/**
 * The metrics of several processes that start and end. The last known counts of an ended process are kept, so that no
 * counter ever decreases.
 */
export class Fleet {
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
