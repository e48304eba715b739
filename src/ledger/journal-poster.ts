import { waitAtMost } from "../canon/wait-at-most.ts"
import type { WriteOff } from "../accounting/chained-records.ts"
import type { JournalLines } from "../store/journal.ts"
import { LedgerError } from "../store/ledger-error.ts"
import { JOURNAL_RETRIES } from "../store/retry-policy.ts"
import type { Batch, Posted, Posting } from "../store/settlements.ts"
import type { Store } from "../store/store.ts"
import { postDivided, UnstorableError } from "./divided-batch.ts"
import type { PostedListener } from "./settlement-writer.ts"

/** Maximum postings per batch. Larger batches do not reduce the cost per posting. */
const MAX_POSTINGS = 128

/** A batch that is in the journal but not in the database yet. */
export interface JournalEntry {
  readonly node: string
  /** The lines of the batch in the journal, which are removed after the batch was posted. */
  readonly lines: readonly number[]
  readonly batch: Batch
}

export interface PosterAlarms {
  writtenOff(request: string, writeOff: WriteOff): void
  settledLate(request: string, charged: bigint): void
  failed(error: unknown): void
}

/**
 * Posts the journal's batches to the database in order. A request that is already in the ledger is not charged again.
 */
export class JournalPoster {
  readonly #store: Store
  readonly #lines: JournalLines
  readonly #alarms: PosterAlarms
  readonly #queue: JournalEntry[] = []
  #running: Promise<void> | undefined
  /** The batch that is being posted. */
  #posting: Promise<void> | undefined
  /** Number of postings that were posted. */
  #count = 0
  #isClosed = false
  onPosted: PostedListener | undefined
  /** Number of postings that are not in the database yet. */
  waiting = 0
  /** Numbers of the journal lines to remove. */
  done: number[] = []

  constructor(store: Store, lines: JournalLines, alarms: PosterAlarms) {
    this.#store = store
    this.#lines = lines
    this.#alarms = alarms
  }

  add(waiting: JournalEntry): void {
    this.#queue.push(waiting)
    this.waiting += waiting.batch.postings.length
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  /** Returns the lines to remove with the next write, and clears the list. */
  takeDone(): number[] {
    const { done } = this
    this.done = []
    return done
  }

  /** Resolves when all batches that were added so far are posted, or when posting has stopped. */
  async posted(): Promise<void> {
    const count = this.#count + this.waiting
    while (this.#count < count && !this.#isClosed) await this.#posting
  }

  /** Resolves when all batches are posted, or after a timeout. */
  settled(timeoutMs: number): Promise<void> {
    return waitAtMost(this.#running, timeoutMs)
  }

  /** Waits like `settled`, and then stops posting. */
  async close(timeoutMs: number): Promise<void> {
    await this.settled(timeoutMs)
    this.#isClosed = true
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 && !this.#isClosed) {
      const taken = this.#takeNext()
      this.#posting = this.#post(taken)
      await this.#posting
      const { length } = taken.batch.postings
      this.#count += length
      this.waiting -= length
    }
  }

  /** Combines the next batches of one node. */
  #takeNext(): JournalEntry {
    const [first] = this.#queue
    const node = first?.node ?? ""
    const lines: number[] = []
    const postings: Posting[] = []
    const opened: Batch["opened"][number][] = []
    const closed: string[] = []
    let count = 0
    for (const { batch, ...one } of this.#queue) {
      if (one.node !== node) break
      if (count > 0 && postings.length + batch.postings.length > MAX_POSTINGS) break
      lines.push(...one.lines)
      postings.push(...batch.postings)
      opened.push(...batch.opened)
      closed.push(...batch.closed)
      count++
    }
    this.#queue.splice(0, count)
    return { node, lines, batch: { postings, opened, closed } }
  }

  /** Posts a batch, and retries until it is posted or rejected, or the process ends. */
  async #post({ node, lines, batch }: JournalEntry): Promise<void> {
    const post = (part: Batch) => this.#store.settlements.post(node, part)
    const { postings } = batch
    for (let repeats = 0; !this.#isClosed; repeats++) {
      try {
        const written = await postDivided(post, batch)
        for (const [index, posting] of postings.entries()) {
          const posted = written[index]
          if (posted && !(posted instanceof UnstorableError)) this.onPosted?.(node, posting, posted)
          await this.#report(posting, posted, lines[index])
        }
        return
      } catch (error) {
        if (error instanceof LedgerError) repeats = -1
        else if (postings.length > 1) return await this.#postOneByOne({ node, lines, batch })
        else if (repeats >= JOURNAL_RETRIES.maxRepeats) return await this.#reject(lines[0], error)
        await Bun.sleep(JOURNAL_RETRIES.firstPauseMs)
      }
    }
  }

  /** Posts one by one after an unexpected error, so that one posting does not block the rest. */
  async #postOneByOne({ node, lines, batch }: JournalEntry): Promise<void> {
    const { postings, opened, closed } = batch
    for (const [index, posting] of postings.entries()) {
      const alone = { postings: [posting], opened: [], closed: [] }
      await this.#post({ node, lines: lines.slice(index, index + 1), batch: alone })
    }
    await this.#post({ node, lines: [], batch: { postings: [], opened, closed } })
  }

  /** Stores a rejected line for the operator. If this fails, the next start retries the line. */
  async #reject(line: number | undefined, error: unknown): Promise<void> {
    this.#alarms.failed(error)
    if (line === undefined) return
    try {
      await this.#lines.reject(line, String(error))
    } catch (failure) {
      this.#alarms.failed(failure)
    }
  }

  async #report(
    { request, amount }: Posting,
    written: Posted | UnstorableError | undefined,
    line: number | undefined,
  ): Promise<void> {
    if (written instanceof UnstorableError) {
      if (!written.isRecorded) return this.#reject(line, written)
      this.#alarms.failed(written)
      if (written.writeOff) this.#alarms.writtenOff(request, written.writeOff)
    } else if (written) {
      const lost = amount - written.charged
      if (lost > 0n) this.#alarms.writtenOff(request, { amount: lost, reason: "late" })
      if (written.late) this.#alarms.settledLate(request, written.charged)
    }
    if (line !== undefined) this.done.push(line)
  }
}
