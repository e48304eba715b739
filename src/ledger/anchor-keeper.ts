import type { Anchor, ChainEnd } from "../accounting/anchor.ts"
import type { Store } from "../store/store.ts"
import { readAnchor, setAnchorAside, writeAnchor } from "./anchor-file.ts"

const UPDATE_INTERVAL_MS = 5_000

/** Number of rows read at each update to check that they are readable. This takes a fraction of a millisecond. */
const SAMPLE_ROWS = 200

/** Alarms for the operator. */
export interface AnchorAlarms {
  /** The ledger lacks rows that its anchor covers. */
  ledgerBehind(message: string): void
  anchorFailed(error: unknown): void
}

export interface AnchorParts {
  readonly store: Pick<Store, "integrity" | "audit">
  /** The data folder with the anchor file. */
  readonly data: string
  /** The data folder's secret, which signs the anchor. */
  readonly secret: string
  readonly alarms: AnchorAlarms
}

/**
 * Maintains the anchor in the ledger and in a file next to the ledger. The anchor reveals rows that were cut off the
 * end, or that are missing in a copy of the ledger. All processes maintain the same anchor, and each row is counted
 * once.
 */
export class AnchorKeeper implements AsyncDisposable {
  readonly #parts: AnchorParts
  /** Time of the last update by the monotonic clock. */
  #updatedAt = -Infinity
  /** The number of the last row that was read as a sample. */
  #sampled = 0
  #written: Anchor | undefined
  /** Whether missing records of the audit log have been reported. */
  #isCutKnown = false
  #updating: Promise<void> = Promise.resolve()

  private constructor(parts: AnchorParts) {
    this.#parts = parts
  }

  /** Checks that the ledger is at least as long as recorded in the anchor file. */
  static async open(parts: AnchorParts): Promise<AnchorKeeper> {
    const keeper = new AnchorKeeper(parts)
    try {
      await keeper.#compare()
    } catch (error) {
      parts.alarms.anchorFailed(error)
    }
    return keeper
  }

  /** Updates the anchor if an update is due. */
  keep(): void {
    const now = performance.now()
    if (now - this.#updatedAt < UPDATE_INTERVAL_MS) return
    this.#updatedAt = now
    this.#updating = this.#update()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#updating
    await this.#update()
  }

  async #update(): Promise<void> {
    const { store, data, secret, alarms } = this.#parts
    try {
      await this.#sample()
      const { anchor, isBehind } = await store.integrity.advanceAnchor(Date.now())
      // The anchor takes in a limited number of rows at a time, so the next call of `keep` continues immediately.
      if (isBehind) this.#updatedAt = -Infinity
      if (JSON.stringify(anchor) === JSON.stringify(this.#written)) return
      // The database server may have been replaced by one that lacks rows which this process has seen.
      await this.#compare()
      await writeAnchor(data, anchor, secret)
      this.#written = anchor
    } catch (error) {
      alarms.anchorFailed(error)
    }
  }

  /** Reads a few rows at a time, in a cycle over the whole ledger, so that a damaged page is detected early. */
  async #sample(): Promise<void> {
    const rows = await this.#parts.store.integrity.listRows(this.#sampled, SAMPLE_ROWS)
    this.#sampled = rows.length < SAMPLE_ROWS ? 0 : (rows.at(-1)?.position ?? 0)
  }

  /**
   * Detects that the ledger was replaced by an older backup or by a replica that lagged behind. Such a ledger lacks
   * rows that the anchor file covers.
   */
  async #compare(): Promise<void> {
    const { store, data, secret } = this.#parts
    const anchor = readAnchor(data, secret)?.anchor
    if (anchor === undefined) return
    const seenAt = new Date(anchor.at).toISOString()
    if (!(await hasRow(store, anchor))) {
      const seen = `it had ${anchor.rowCount} rows at ${seenAt}`
      this.#setAside(`the ledger has lost entries: ${seen}`)
    } else if (!(await hasAuditEnd(store, anchor.audit))) {
      const seen = `it had record ${anchor.audit.number} at ${seenAt}`
      const message = `the audit log has lost records: ${seen}`
      const { audit } = await store.integrity.findAnchor()
      // If the ledger's own anchor also reveals the missing records, every verification reports them. In this case the
      // file stays in place, and the alarm is raised only once.
      if (audit.hash !== anchor.audit.hash) this.#setAside(message)
      else if (!this.#isCutKnown) this.#parts.alarms.ledgerBehind(`${message}. ${VERIFY}`)
      this.#isCutKnown = true
    }
  }

  #setAside(message: string): void {
    const aside = setAnchorAside(this.#parts.data)
    // Another process has already reported this.
    if (aside === undefined) return
    this.#parts.alarms.ledgerBehind(
      `${message}. If it is a restored backup, all later entries are lost; their extent is recorded in ${aside}`,
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
  // The anchor's last row may have been pruned.
  if (lastRow <= (await store.integrity.findPrunedRows()).lastRow) return true
  const [row] = await store.integrity.listRows(lastRow - 1, 1)
  return row?.position === lastRow && row.hash === lastHash
}
