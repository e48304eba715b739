import { LedgerError } from "../store/ledger-error.ts"
import { nextPauseMs, type RetryPolicy } from "../store/retry-policy.ts"
import type { Batch, Posted } from "../store/settlements.ts"
import type { Store } from "../store/store.ts"
import { postDivided } from "./divided-batch.ts"
import type { SettlementOutcome, SettlementWriter } from "./settlement-writer.ts"

/** Posts settlements to the database. While the database is unavailable, settlements wait. */
export class DatabaseWriter implements SettlementWriter {
  readonly outlastsOutages = false
  readonly waiting = 0
  readonly #store: Store
  readonly #retries: RetryPolicy
  #endsAt = Infinity
  /** Functions that abandon running attempts. */
  readonly #running = new Set<() => void>()
  /** The batches of all attempts that have not ended, which includes abandoned ones. The database may store them. */
  readonly #attempts = new Map<Promise<unknown>, Batch>()
  failure: unknown

  constructor(store: Store, retries: RetryPolicy) {
    this.#store = store
    this.#retries = retries
  }

  /** Writes a batch. The call may be repeated, because a request that is already in the ledger is not charged twice. */
  async write(node: string, batch: Batch): Promise<readonly SettlementOutcome[]> {
    const retries = this.#retries
    const deadline = performance.now() + retries.maxWaitMs
    const post = (part: Batch) => this.#post(node, part, deadline - performance.now())
    for (let pauseMs = retries.firstPauseMs; ; pauseMs = nextPauseMs(retries, pauseMs)) {
      try {
        const written = await postDivided(post, batch)
        this.failure = undefined
        return written
      } catch (error) {
        if (performance.now() + pauseMs > Math.min(deadline, this.#endsAt)) {
          this.failure = error
          throw error
        }
        await Bun.sleep(pauseMs)
      }
    }
  }

  /** Nothing to do, because every written settlement is already in the database. */
  async posted(): Promise<void> {}

  async maintain(node: string): Promise<void> {
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

  /** Nothing to do, because every written settlement is already in the database. */
  async close(): Promise<void> {}

  #post(node: string, batch: Batch, maxWaitMs: number): Promise<readonly Posted[]> {
    const posting = this.#store.settlements.post(node, batch)
    if (!this.#retries.abandonsAttempts) return posting
    const untilEnd = Math.max(this.#retries.minAttemptMs, this.#endsAt - performance.now())
    const end = (): void => void this.#attempts.delete(posting)
    this.#attempts.set(posting, batch)
    posting.then(end, end)
    return this.#within(Math.min(maxWaitMs, untilEnd), posting)
  }

  isPosting(request: string): boolean {
    return [...this.#attempts.values()].some(({ postings }) =>
      postings.some((posting) => posting.request === request),
    )
  }

  async #within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>()
    const giveUp = (): void => late.reject(tooLate())
    const timer = setTimeout(giveUp, timeoutMs)
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
  return new LedgerError("unavailable", "the database did not store the charges in time")
}
