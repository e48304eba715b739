import type { Journal, JournalLine } from "../store/journal.ts"
import { LedgerError } from "../store/ledger-error.ts"
import type { Batch, Posting } from "../store/settlements.ts"
import type { JournalEntry, JournalPoster } from "./journal-poster.ts"
import type { PostedListener, Settled, SettlementWriter } from "./settlement-writer.ts"

/**
 * Maximum settlements that wait for the database, which take about 100 MB. When this limit is reached, the gateway
 * rejects new requests.
 */
const MAX_PENDING = 50_000
/** Interval at which lines of dead processes are taken over. */
const ADOPT_INTERVAL_MS = 10_000
/** Maximum lines that are taken over at once. */
const ADOPT_BATCH = 1_000
/** Maximum time that the process waits at startup until the lines that it took over are posted. */
const MAX_RECOVERY_WAIT_MS = 5_000
/** Maximum time that the process waits at shutdown until the journal is posted. */
const MAX_CLOSE_WAIT_MS = 5_000

export interface JournalParts {
  readonly journal: Journal
  readonly poster: JournalPoster
  /** Whether the process of a node is running on this machine. */
  readonly isAlive: (node: string) => boolean
}

/**
 * Writes settlements to the node's own disk, and posts them to the database afterwards. Each request is posted once, in
 * order, with the leases of the node that settled it. Callers do not wait for an unavailable database.
 */
export class JournalWriter implements SettlementWriter {
  readonly outlastsOutages = true
  readonly #parts: JournalParts
  #failure: unknown
  #adoptAt = 0

  constructor(parts: JournalParts) {
    this.#parts = parts
  }

  get failure(): unknown {
    return this.#failure ?? (this.#parts.poster.waiting >= MAX_PENDING ? FULL : undefined)
  }

  get waiting(): number {
    return this.#parts.poster.waiting
  }

  async write(node: string, batch: Batch): Promise<readonly Settled[]> {
    const { poster } = this.#parts
    const { postings } = batch
    const first = postings.length === 0 ? 0 : await this.#add(node, postings.map(writePosting))
    poster.add({ node, lines: postings.map((_, index) => first + index), batch })
    return postings.map(settled)
  }

  posted(): Promise<void> {
    return this.#parts.poster.posted()
  }

  listen(onPosted: PostedListener): void {
    this.#parts.poster.onPosted = onPosted
  }

  async maintain(node: string): Promise<void> {
    const { poster } = this.#parts
    // Writes an empty line, and removes it again, to test whether the disk is writable.
    if (this.#failure !== undefined) poster.done.push(await this.#add(node, [""]))
    if (poster.waiting > 0) return
    if (poster.done.length > 0) await this.#add(node, [])
    if (performance.now() >= this.#adoptAt) await this.#adoptAll(node)
  }

  /**
   * Posts lines of dead processes before other nodes take back their leases, but only waits for a limited time.
   * @param own the node of this process.
   */
  async recover(own: string): Promise<void> {
    await this.#adoptAll(own)
    await this.#parts.poster.settled(MAX_RECOVERY_WAIT_MS)
  }

  async #adoptAll(own: string): Promise<void> {
    const { journal, isAlive } = this.#parts
    const lines = await journal.lines.list(0, ADOPT_BATCH)
    if (lines.length < ADOPT_BATCH) this.#adoptAt = performance.now() + ADOPT_INTERVAL_MS
    const alive = new Map([[own, true]])
    for (const line of lines) {
      const isNodeAlive = alive.get(line.node) ?? isAlive(line.node)
      alive.set(line.node, isNodeAlive)
      if (!isNodeAlive) await this.#adopt(line)
    }
  }

  async #adopt(line: JournalLine): Promise<void> {
    const { journal, poster } = this.#parts
    try {
      if (line.body === "") poster.done.push(line.number)
      else poster.add(adopted(line))
    } catch (error) {
      await journal.lines.reject(line.number, String(error))
    }
  }

  /** Nothing to do, because no settlement waits for the database. */
  endBy(): void {}

  async close(): Promise<void> {
    const { poster } = this.#parts
    await poster.close(MAX_CLOSE_WAIT_MS)
    if (poster.done.length > 0) await this.#add("", [])
  }

  /**
   * Adds lines to the journal.
   * @returns the number of the first line.
   */
  async #add(node: string, bodies: readonly string[]): Promise<number> {
    const { journal, poster } = this.#parts
    const done = poster.takeDone()
    try {
      const first = await journal.lines.add({ node, bodies, done })
      this.#failure = undefined
      return first
    } catch (error) {
      poster.done.push(...done)
      this.#failure = error
      throw error
    }
  }
}

const FULL = new LedgerError(
  "unavailable",
  `the journal holds ${MAX_PENDING} settlements that the database has not stored`,
)

/** Returns the result of a charge. The hold ensures that the node's lease covers the full amount. */
function settled({ request, amount, budgets }: Posting): Settled {
  return {
    request,
    charged: amount,
    fromLease: amount,
    fromBudgetLeases: budgets.map(() => amount),
    balance: undefined,
    late: false,
  }
}

function adopted({ number, node, body }: JournalLine): JournalEntry {
  const batch = { postings: [readPosting(body)], opened: [], closed: [] }
  return { node, lines: [number], batch }
}

/** Serializes a posting for the journal as JSON, with amounts as text. */
function writePosting({ amount, writtenOff, ...posting }: Posting): string {
  return JSON.stringify({
    ...posting,
    amount: String(amount),
    writtenOff: writtenOff.map((part) => ({ ...part, amount: String(part.amount) })),
  })
}

type Written<Amounts> = Omit<Amounts, "amount"> & { readonly amount: string }
type WrittenPosting = Written<Omit<Posting, "writtenOff">> & {
  readonly writtenOff: readonly Written<Posting["writtenOff"][number]>[]
}

/**
 * Parses a posting.
 * @param body text from `writePosting`.
 */
export function readPosting(body: string): Posting {
  const { amount, writtenOff, ...posting } = JSON.parse(body) as WrittenPosting
  return {
    ...posting,
    amount: BigInt(amount),
    writtenOff: writtenOff.map((part) => ({ ...part, amount: BigInt(part.amount) })),
  }
}
