import type { Snapshot } from "./registry.ts"

/** Gauges tell how a process is: of one that has ended they tell nothing. */
const PASSING = "gauge"

/**
 * The metrics of several processes that come and go. What one has counted stays when it has ended, as far as it was
 * asked for, so that no counter ever shrinks.
 */
export class Fleet {
  /** The last snapshot of each process that runs. */
  readonly #last = new Map<number, Snapshot>()
  #ended: Snapshot[] = []
  readonly #merge: (snapshots: readonly Snapshot[]) => Promise<Snapshot>

  /** @param merge sums snapshots up. */
  constructor(merge: (snapshots: readonly Snapshot[]) => Promise<Snapshot>) {
    this.#merge = merge
  }

  /** A process has answered. */
  heard(processId: number, snapshot: Snapshot): void {
    this.#last.set(processId, snapshot)
  }

  /** A process has ended. */
  ended(processId: number): void {
    const last = this.#last.get(processId)
    if (last === undefined) return
    this.#last.delete(processId)
    this.#ended.push(last.filter(({ type }) => String(type) !== PASSING))
  }

  /** What all have counted, and how those are that run. */
  async all(): Promise<readonly Snapshot[]> {
    // Processes that end again and again must not fill the memory.
    if (this.#ended.length > 1) this.#ended = [await this.#merge(this.#ended.splice(0))]
    return [...this.#ended, ...this.#last.values()]
  }
}
