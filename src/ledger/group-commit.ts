import { LinkedList } from "../canon/linked-list.ts"
import type { Batch, HoldRecord, Posting } from "../store/settlements.ts"
import type { Hold } from "./hold.ts"
import { UnstorableError } from "./divided-batch.ts"
import type { Settled, SettlementOutcome } from "./settlement-writer.ts"

/** Maximum time that a settlement waits for other settlements to share its commit. */
const GATHER_MS = 8
/** Minimum number of settlements per `GATHER_MS` for which waiting is worthwhile. */
const MIN_ARRIVALS = 8
/** Minimum age of holds that are recorded in the database. Most requests end earlier. */
const RECORD_AFTER_MS = 250

/** A settlement whose receipt is built together with the other receipts of its commit, because that is faster. */
export type LazyPosting = Omit<Posting, "receipt"> & { readonly receipt: () => string }

interface Pending {
  readonly settling: LazyPosting
  resolve(settled: Settled): void
  reject(error: unknown): void
}

/**
 * Group commit. Settlements that arrive while the disk is busy, or within a few milliseconds of each other, share one
 * transaction. A single settlement never waits for other settlements.
 */
export class GroupCommit {
  readonly #write: (batch: Batch) => Promise<readonly SettlementOutcome[]>
  #pending: Pending[] = []
  #closed: string[] = []
  /**
   * Running holds that are not recorded, with the oldest first. Holds are removed as soon as they end, because each
   * keeps its whole request in memory.
   */
  readonly #open = new LinkedList<Hold>()
  #running = 0
  readonly #arrivals = new Arrivals()
  #flushing: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #immediate: ReturnType<typeof setImmediate> | undefined

  /** @param write makes a batch durable. A repeated request is not charged again. */
  constructor(write: (batch: Batch) => Promise<readonly SettlementOutcome[]>) {
    this.#write = write
  }

  opened(hold: Hold): void {
    this.#running++
    hold.node = this.#open.add(hold)
  }

  /** Removes an ended hold. The next commit also removes its record, if it has one. */
  closed(hold: Hold): void {
    this.#running--
    this.#leave(hold)
    if (hold.recorded) this.#closed.push(hold.request)
  }

  /** Ends a hold with its settlement. Resolves when the settlement is durable. */
  append(hold: Hold, settling: LazyPosting): Promise<Settled> {
    this.closed(hold)
    return this.add(settling)
  }

  /** Adds a settlement whose hold belongs to another group commit. */
  add(settling: LazyPosting): Promise<Settled> {
    this.#arrivals.add(performance.now())
    return new Promise((resolve, reject) => {
      this.#pending.push({ settling, resolve, reject })
      this.#schedule()
    })
  }

  /** Records long-running holds, and the ends of recorded holds. */
  tick(now: number): void {
    const oldest = this.#open.first
    const isLasting = oldest !== undefined && oldest.at + RECORD_AFTER_MS < now
    if (isLasting || this.#closed.length > 0) void this.flush()
  }

  /** Resolves when everything that was added so far has been written or has failed. */
  async flush(): Promise<void> {
    if (this.#flushing) await this.#flushing
    // A flush that has started in the meantime includes everything.
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined
      if (this.#pending.length > 0) this.#schedule()
    })
    await this.#flushing
  }

  /**
   * Schedules a flush. A single settlement is written in this turn of the event loop, together with others that arrived
   * in the same turn. A commit costs as much as ten settlements, so waiting longer is only worthwhile if many arrive
   * quickly and other holds are open.
   */
  #schedule(): void {
    if (this.#flushing) return
    const isExpected = this.#running > 0 && this.#arrivals.recent >= MIN_ARRIVALS
    if (isExpected) this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS)
    else this.#immediate ??= setImmediate(() => void this.flush())
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
    this.#timer = undefined
    this.#immediate = undefined
    const pending = this.#pending
    const closed = this.#closed
    const lasting = this.#takeLasting(Date.now())
    if (pending.length + closed.length + lasting.length === 0) return
    this.#pending = []
    this.#closed = []
    try {
      const postings = pending.map(({ settling }) => postingOf(settling))
      const batch = { postings, opened: lasting.map(recordOf), closed }
      settleAll(pending, await this.#write(batch))
    } catch (error) {
      this.#closed.push(...closed)
      for (const hold of lasting) {
        hold.recorded = false
        if (!hold.over) hold.node = this.#open.add(hold)
      }
      for (const one of pending) one.reject(error)
    }
  }

  /** Takes long-running holds out of the list of unrecorded holds. */
  #takeLasting(now: number): Hold[] {
    const lasting: Hold[] = []
    for (let hold = this.#open.first; hold; hold = this.#open.first) {
      if (hold.at + RECORD_AFTER_MS >= now) break
      hold.recorded = true
      this.#leave(hold)
      lasting.push(hold)
    }
    return lasting
  }

  #leave(hold: Hold): void {
    if (hold.node) this.#open.remove(hold.node)
    hold.node = undefined
  }
}

/** Counts the settlements that arrive within one gather interval. */
class Arrivals {
  #since = -Infinity
  #count = 0
  /** Number of settlements in the last complete interval; 0 if that interval ended too long ago. */
  recent = 0

  add(now: number): void {
    const time = now - this.#since
    if (time >= GATHER_MS) {
      this.recent = time < 2 * GATHER_MS ? this.#count : 0
      this.#since = now
      this.#count = 0
    }
    this.#count++
  }
}

function settleAll(pending: readonly Pending[], written: readonly SettlementOutcome[]): void {
  pending.forEach((one, index) => {
    const response = written[index]
    if (response instanceof UnstorableError) one.reject(response)
    else if (response) one.resolve(response)
    else one.reject(new Error("the store answered for fewer settlements than it was given"))
  })
}

function postingOf(settling: LazyPosting): Posting {
  const { request, account, key, budgets, amount, writtenOff, at, receipt, state } = settling
  return { request, account, key, budgets, amount, writtenOff, at, receipt: receipt(), state }
}

function recordOf(hold: Hold): HoldRecord {
  const { request, payer, amount, at } = hold
  return { request, account: payer.account, key: payer.key, amount, at, receipt: hold.receipt() }
}
