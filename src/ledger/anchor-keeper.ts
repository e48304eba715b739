import type { Anchor, ChainEnd } from "../accounting/anchor.ts"
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
  readonly store: Pick<Store, "integrity" | "audit">
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
  /** Whether it was reported that the audit log was cut. */
  #isCutKnown = false
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
    const { store, data, secret } = this.#parts
    const anchor = readAnchor(data, secret)?.anchor
    if (anchor === undefined) return
    const seenAt = new Date(anchor.at).toISOString()
    if (!(await hasRow(store, anchor))) {
      const seen = `${anchor.rowCount} rows of it were seen at ${seenAt}`
      this.#setAside(`the ledger lacks entries that it had: ${seen}`)
    } else if (!(await hasAuditEnd(store, anchor.audit))) {
      const seen = `record ${anchor.audit.number} was seen at ${seenAt}`
      const message = `the audit log lacks records that it had: ${seen}`
      const { audit } = await store.integrity.findAnchor()
      // While the ledger's own anchor shows it too, every verification does: the file stays, and it is said once.
      if (audit.hash !== anchor.audit.hash) this.#setAside(message)
      else if (!this.#isCutKnown) this.#parts.alarms.ledgerBehind(`${message}. ${VERIFY}`)
      this.#isCutKnown = true
    }
  }

  #setAside(message: string): void {
    const aside = setAnchorAside(this.#parts.data)
    // Another process has reported it.
    if (aside === undefined) return
    this.#parts.alarms.ledgerBehind(
      `${message}. If it is a backup, what came after it is lost; what is known of it is in ${aside}`,
    )
  }
}

const VERIFY = "See what is missing with: tollgate ledger verify"

async function hasAuditEnd(
  store: AnchorParts["store"],
  { number, hash }: ChainEnd,
): Promise<boolean> {
  if (number === 0) return true
  const [record] = await store.audit.list({}, number + 1, 1)
  return record?.number === number && record.hash === hash
}

async function hasRow(
  store: AnchorParts["store"],
  { lastRow, lastHash }: Anchor,
): Promise<boolean> {
  if (lastRow === 0) return true
  // It may be among the rows that were removed because they were old.
  if (lastRow <= (await store.integrity.findPrunedRows()).lastRow) return true
  const [row] = await store.integrity.listRows(lastRow - 1, 1)
  return row?.position === lastRow && row.hash === lastHash
}
