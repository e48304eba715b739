import { type Anchor } from "../accounting/anchor.ts"
import type { Store } from "../store/store.ts"
import { readAnchor, setAnchorAside, writeAnchor } from "./anchor-file.ts"

/** How often the anchor is updated, milliseconds. */
const KEEP_EVERY = 5_000

/** How many rows are read each time to check that they are readable: a fraction of a millisecond. */
const SAMPLE = 200

/** Alarms for the operator. */
export interface AnchorAlarms {
  /** The ledger is behind its own anchor. */
  ledgerBehind(message: string): void
  anchorFailed(error: unknown): void
}

export interface AnchorParts {
  readonly store: Pick<Store, "integrity">
  /** The data folder, which has the anchor's file. */
  readonly data: string
  /** The data folder's secret, which signs the anchor. */
  readonly secret: string
  readonly alarms: AnchorAlarms
}

/**
 * Maintains the anchor of the ledger, in the ledger and in a file next to it, so that rows that were cut off
 * its end, or left behind when it was copied, are noticed. All processes maintain the same one; each row is
 * counted once.
 */
export class AnchorKeeper implements AsyncDisposable {
  readonly #parts: AnchorParts
  /** On the monotonic clock. */
  #keptAt = -Infinity
  /** The last row that was read to check it. */
  #sampled = 0
  #written: Anchor | undefined
  #keeping: Promise<void> = Promise.resolve()

  private constructor(parts: AnchorParts) {
    this.#parts = parts
  }

  /** Checks that the ledger is as far as the anchor file says. */
  static async open(parts: AnchorParts): Promise<AnchorKeeper> {
    const keeper = new AnchorKeeper(parts)
    try {
      await keeper.#compare()
    } catch (error) {
      parts.alarms.anchorFailed(error)
    }
    return keeper
  }

  /** Updates the anchor when it is due. */
  keep(): void {
    const now = performance.now()
    if (now - this.#keptAt < KEEP_EVERY) return
    this.#keptAt = now
    this.#keeping = this.#keep()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keeping
    await this.#keep()
  }

  async #keep(): Promise<void> {
    const { store, data, secret, alarms } = this.#parts
    try {
      await this.#sample()
      const { anchor, isBehind } = await store.integrity.advanceAnchor(Date.now())
      // A long ledger is counted bit by bit.
      if (isBehind) this.#keptAt = -Infinity
      if (JSON.stringify(anchor) === JSON.stringify(this.#written)) return
      // A server may have been replaced by one that lacks what this one has seen.
      await this.#compare()
      await writeAnchor(data, anchor, secret)
      this.#written = anchor
    } catch (error) {
      alarms.anchorFailed(error)
    }
  }

  /**
   * Reads some rows of the ledger at a time, round and round, so that a damaged page is noticed before it is
   * needed.
   */
  async #sample(): Promise<void> {
    const rows = await this.#parts.store.integrity.listRows(this.#sampled, SAMPLE)
    this.#sampled = rows.length < SAMPLE ? 0 : (rows.at(-1)?.position ?? 0)
  }

  /** An older backup is not as far as the anchor file says, and neither is a replica that was behind. */
  async #compare(): Promise<void> {
    const { store, data, secret, alarms } = this.#parts
    const anchor = readAnchor(data, secret)?.anchor
    if (anchor === undefined || (await hasRow(store, anchor))) return
    const aside = setAnchorAside(data)
    if (aside === undefined) return
    const seen = `${anchor.rowCount} rows of it were seen at ${new Date(anchor.at).toISOString()}`
    alarms.ledgerBehind(
      `the ledger lacks entries that it had: ${seen}. If it is a backup, what came after it is lost; what is known of it is in ${aside}`,
    )
  }
}

async function hasRow(
  store: AnchorParts["store"],
  { lastRow, lastHash }: Anchor,
): Promise<boolean> {
  if (lastRow === 0) return true
  // It may be among the rows that were removed because they were old.
  if (lastRow <= (await store.integrity.findSeal()).lastRow) return true
  const [row] = await store.integrity.listRows(lastRow - 1, 1)
  return row?.position === lastRow && row.hash === lastHash
}
