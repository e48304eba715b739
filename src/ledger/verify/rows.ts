import { type Anchor } from "../../accounting/anchor.ts"
import { hashUncharged } from "../../accounting/hash-chain.ts"
import type { HashSum } from "../../accounting/hash-sum.ts"
import type { LedgerRow } from "../../store/integrity.ts"
import type { StoreReader } from "../../store/store.ts"
import type { ReadAnchor } from "../anchor-file.ts"
import type { LedgerProblem } from "./problem.ts"
import type { VerifyProgress } from "./progress.ts"

/** Number of rows that are read at once. */
const PAGE = 1_000

/** The anchors, which are read before the ledger. */
export interface Anchors {
  /** The anchor in the ledger. */
  readonly inside: Anchor
  /** The anchor in the file next to the ledger. */
  readonly adjacent: ReadAnchor | undefined
}

export interface RowsVerdict {
  readonly receipts: number
  readonly problems: readonly LedgerProblem[]
}

/**
 * Checks all rows in the order of their creation. Receipts of uncharged requests must be unchanged, and no row covered
 * by an anchor may be missing.
 * @param isKnownWrong whether invalid entries were already found. If so, the anchors are not compared.
 * @param progress the rows that were checked before.
 */
export async function verifyRows(
  store: StoreReader,
  anchors: Anchors,
  { isKnownWrong, progress }: { readonly isKnownWrong: boolean; readonly progress: VerifyProgress },
): Promise<RowsVerdict> {
  const problems: LedgerProblem[] = []
  const pruned = await store.integrity.findPrunedRows()
  const marks = [
    new Mark(anchors.inside, "the ledger's own anchor"),
    // If an anchor is older than the last removed row, there is no row to compare it with.
    ...(anchors.adjacent && anchors.adjacent.anchor.lastRow >= pruned.lastRow
      ? [new Mark(anchors.adjacent.anchor, "the anchor file next to the ledger")]
      : []),
  ]
  if (anchors.adjacent?.isGenuine === false) {
    const message =
      "the anchor file next to the ledger does not carry the signature of this data folder"
    problems.push({ account: null, number: null, fault: "anchor", message })
  }
  // The progress must not pass an anchor, because the next verification could then not compare its rows with that
  // anchor.
  const farthest = Math.min(...marks.map(({ lastRow }) => lastRow))
  const sum = progress.hashSum()
  let { last: after, receipts } = progress.rows
  let wrong: LedgerProblem | undefined
  for (;;) {
    const page = await store.integrity.listRows(after, PAGE)
    for (const row of page) {
      for (const mark of marks) mark.pass(row.position, sum)
      sum.add(row.hash)
      after = row.position
      if (row.number !== null) continue
      receipts++
      const message = unchargedFault(row)
      if (message === undefined) continue
      wrong ??= { account: row.account, number: null, fault: "receipt", message }
    }
    if (!wrong && !isKnownWrong && after <= farthest) {
      const { count, text: hashSum } = sum
      progress.rows = { last: after, count, hashSum, receipts }
    }
    await progress.page(page.length)
    if (page.length < PAGE) break
  }
  if (wrong) problems.push(wrong)
  // A changed row also changes the sums, so the anchors would only report it again.
  if (!isKnownWrong && !wrong) for (const mark of marks) problems.push(...mark.end(sum))
  return { receipts, problems }
}

/** Returns the fault of an uncharged request's receipt. */
function unchargedFault(row: LedgerRow): string | undefined {
  const { account, key, request, at, isExpired, receipt, hash } = row
  const name = `the receipt of ${request ?? "a request"}, which was not charged,`
  if (key === null || request === null || receipt === null) return `${name} is missing`
  const expected = hashUncharged({ account, key, request, at, isExpired, receipt })
  return hash === expected ? undefined : `${name} was changed after it was written`
}

/** An anchor's position among the rows. */
class Mark {
  readonly #anchor: Anchor
  readonly #name: string
  #found: { readonly count: number; readonly text: string } | undefined

  constructor(anchor: Anchor, name: string) {
    this.#anchor = anchor
    this.#name = name
  }

  get lastRow(): number {
    return this.#anchor.lastRow
  }

  /** Records the sum at the first row beyond the anchor. It must equal the sum of the anchor. */
  pass(position: number, sum: HashSum): void {
    if (this.#found === undefined && position > this.#anchor.lastRow) {
      this.#found = { count: sum.count, text: sum.text }
    }
  }

  end(sum: HashSum): LedgerProblem[] {
    const { rowCount, hashSum, at } = this.#anchor
    if (rowCount === 0) return []
    const found = this.#found ?? { count: sum.count, text: sum.text }
    const moment = new Date(at).toISOString()
    const missing = rowCount - found.count
    const known = `${this.#name} covers ${rowCount} rows as of ${moment}`
    if (missing > 0) {
      const message = `${known}: ${missing} of them are missing. Was the log, tollgate.db-wal, left behind when it was copied?`
      return [{ account: null, number: null, fault: "anchor", message }]
    }
    if (missing === 0 && found.text === hashSum) return []
    const message = `${known}: the present rows differ from them`
    return [{ account: null, number: null, fault: "anchor", message }]
  }
}
