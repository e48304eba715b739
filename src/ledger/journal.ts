import type { Batch, Posted, Posting } from "../store/records.ts"
import type { Hold } from "./hold.ts"

/** The longest a settlement waits for others to share its commit, in milliseconds. */
const GATHER_TIME = 2
/** Holds younger than this are not written down: most requests are over before. */
const RECORD_AFTER = 250
const ATTEMPTS = 3

interface Pending {
  readonly posting: Posting
  resolve(posted: Posted): void
  reject(error: unknown): void
}

/**
 * Group commit: settlements that arrive while the disk is busy, or within two milliseconds of each
 * other, share one transaction. A lone request never waits for company.
 */
export class Journal {
  readonly #write: (batch: Batch) => Promise<Posted[]>
  #pending: Pending[] = []
  #closed: string[] = []
  /** Holds in the order they were opened; those that are over are skipped. */
  #open: Hold[] = []
  #running = 0
  #flushing: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Why the last write failed; undefined while the journal is well. */
  failure: unknown

  constructor(write: (batch: Batch) => Promise<Posted[]>) {
    this.#write = write
  }

  opened(hold: Hold): void {
    this.#running++
    this.#open.push(hold)
  }

  /** The end of a hold that is not charged. */
  closed(hold: Hold): void {
    this.#running--
    if (hold.recorded) this.#closed.push(hold.request)
  }

  /** Resolves when the settlement is on disk. */
  append(hold: Hold, posting: Posting): Promise<Posted> {
    this.closed(hold)
    return new Promise((resolve, reject) => {
      this.#pending.push({ posting, resolve, reject })
      this.#schedule()
    })
  }

  /** Writes down holds that have lasted and ends of recorded ones. */
  tick(now: number): void {
    const oldest = this.#open.findIndex((hold) => !hold.over)
    this.#open = oldest === -1 ? [] : this.#open.slice(oldest)
    const lasting = this.#open[0] !== undefined && this.#open[0].at + RECORD_AFTER < now
    if (lasting || this.#closed.length > 0) void this.flush()
  }

  /** Resolves when everything appended so far has been written, or has failed. */
  async flush(): Promise<void> {
    while (this.#flushing) await this.#flushing
    this.#flushing = this.#flush()
    await this.#flushing
  }

  #schedule(): void {
    if (this.#flushing || this.#timer) return
    if (this.#running === 0 || this.#pending.length > this.#running) {
      void this.flush()
      return
    }
    this.#timer = setTimeout(() => void this.flush(), GATHER_TIME)
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const pending = this.#pending
    this.#pending = []
    const closed = this.#closed
    this.#closed = []
    const opened = this.#lastingHolds(Date.now())
    if (pending.length + closed.length + opened.length > 0) {
      const postings = pending.map((one) => one.posting)
      await this.#commit(pending, { postings, opened: opened.map(recordOf), closed })
    }
    this.#flushing = undefined
    if (this.#pending.length > 0) this.#schedule()
  }

  async #commit(pending: readonly Pending[], batch: Batch): Promise<void> {
    try {
      const posted = await this.#writeWithRetry(batch)
      this.failure = undefined
      pending.forEach((one, index) => {
        const answer = posted[index]
        if (answer) one.resolve(answer)
        else one.reject(new Error("the store answered for fewer settlements than it was given"))
      })
    } catch (error) {
      this.failure = error
      this.#closed.push(...batch.closed)
      for (const one of pending) one.reject(error)
    }
  }

  /** Posting again is safe: a request that is in the book already is not charged again. */
  async #writeWithRetry(batch: Batch): Promise<Posted[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#write(batch)
      } catch (error) {
        if (attempt >= ATTEMPTS) throw error
      }
    }
  }

  #lastingHolds(now: number): Hold[] {
    const lasting: Hold[] = []
    for (const hold of this.#open) {
      if (hold.at + RECORD_AFTER >= now) break
      if (hold.over || hold.recorded) continue
      hold.recorded = true
      lasting.push(hold)
    }
    this.#open = this.#open.filter((hold) => !hold.over && !hold.recorded)
    return lasting
  }
}

function recordOf(hold: Hold) {
  const { request, payer, amount, at } = hold
  return { request, account: payer.account, key: payer.key, amount, at, receipt: hold.receipt() }
}
