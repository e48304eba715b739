import { LedgerError } from "../store/ledger-error.ts"
import type { Batch, Posted } from "../store/settlements.ts"
import type { Store } from "../store/store.ts"
import { postDivided } from "./divided-batch.ts"
import type { SettlementWriter, Written } from "./settlement-writer.ts"

/** Before the second attempt, milliseconds; twice as long before each further one. */
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 1_000
/** How long an attempt may take also where nothing waits any longer, milliseconds: the database may be well. */
const LEAST = 500

export interface Patience {
  /** How long settlements wait for the database, milliseconds. */
  readonly patience: number
  /** Whether an attempt that takes longer is given up: what became of it is not known then. */
  readonly givesUp: boolean
}

/** Posts settlements to the database: while it is away, they wait. */
export class DatabaseWriter implements SettlementWriter {
  readonly outlastsOutages = false
  readonly waiting = 0
  readonly #store: Store
  readonly #patience: Patience
  #endsAt = Infinity
  /** Gives up an attempt that runs. */
  readonly #running = new Set<() => void>()
  failure: unknown

  constructor(store: Store, patience: Patience) {
    this.#store = store
    this.#patience = patience
  }

  /** It may be repeated: a request that is in the ledger already is not charged twice. */
  async write(node: string, batch: Batch): Promise<readonly Written[]> {
    const usual = performance.now() + this.#patience.patience
    const post = (part: Batch) => this.#post(node, part, usual - performance.now())
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        const written = await postDivided(post, batch)
        this.failure = undefined
        return written
      } catch (error) {
        if (performance.now() + pause > Math.min(usual, this.#endsAt)) {
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

  endBy(moment: number): void {
    this.#endsAt = moment
    const giveUp = (): void => {
      for (const each of this.#running) each()
    }
    setTimeout(giveUp, moment - performance.now()).unref()
  }

  /** Nothing is written but in the database. */
  async close(): Promise<void> {}

  #post(node: string, batch: Batch, patience: number): Promise<readonly Posted[]> {
    const posting = this.#store.settlements.post(node, batch)
    if (!this.#patience.givesUp) return posting
    const untilEnd = Math.max(LEAST, this.#endsAt - performance.now())
    return this.#within(Math.min(patience, untilEnd), posting)
  }

  async #within<T>(patience: number, promise: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>()
    const giveUp = (): void => late.reject(tooLate())
    const timer = setTimeout(giveUp, patience)
    this.#running.add(giveUp)
    try {
      return await Promise.race([promise, late.promise])
    } finally {
      clearTimeout(timer)
      this.#running.delete(giveUp)
    }
  }
}

function tooLate(): LedgerError {
  return new LedgerError("unavailable", "the database has not taken the charges in time")
}
