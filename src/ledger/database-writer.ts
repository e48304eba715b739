import type { Batch, Posted } from "../store/settlements.ts"
import type { Store } from "../store/store.ts"
import type { SettlementWriter } from "./settlement-writer.ts"

/** Before the second attempt, milliseconds; twice as long before each further one. */
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 1_000

/** Posts settlements to the database: while it is away, they wait. */
export class DatabaseWriter implements SettlementWriter {
  readonly #store: Store
  readonly #patience: number
  failure: unknown

  /** @param patience how long settlements wait for the database, milliseconds. */
  constructor(store: Store, patience: number) {
    this.#store = store
    this.#patience = patience
  }

  /** It may be repeated: a request that is in the ledger already is not charged twice. */
  async write(node: string, batch: Batch): Promise<readonly Posted[]> {
    const deadline = performance.now() + this.#patience
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        const posted = await this.#store.settlements.post(node, batch)
        this.failure = undefined
        return posted
      } catch (error) {
        if (performance.now() + pause > deadline) {
          this.failure = error
          throw error
        }
        await Bun.sleep(pause)
      }
    }
  }

  async look(node: string): Promise<void> {
    const { failure } = this
    if (failure === undefined) return
    await this.#store.nodes.poll(node, Date.now())
    if (this.failure === failure) this.failure = undefined
  }
}
