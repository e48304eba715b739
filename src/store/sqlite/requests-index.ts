import type { Database, Statement } from "bun:sqlite"
import { listLabels } from "../../accounting/labels.ts"
import { MAX_REPORTED_AMOUNT } from "../../accounting/maxima.ts"
import { removeRequest } from "./requests-list.ts"
import { type LedgerRow, type RequestSummary, summarize } from "../request-summary.ts"
import { RequestSegments } from "./request-segments.ts"
import { RequestSums } from "./request-sums.ts"
import { PrunedRequests } from "./pruned-requests.ts"
import { clearIndex } from "./schemas/reports.ts"

/** Maximum rows that one step indexes. A query waits for one step at most. */
const CHUNK = 250
/** Rows per step while the index is far behind. In a large step, a row takes about half the time. */
const LARGE_CHUNK = 2_000
const FAR_BEHIND = 50_000

const LAST_ROW = "SELECT max(rowid) AS row FROM entries"

const INDEX_SUMS = {
  hours: "usage_hours",
  days: "usage_days",
  keys: "key_uses",
  names: { hours: "usage_name_hours", days: "usage_name_days" },
}

interface Progress {
  row: bigint
  last_row: bigint | null
  last_request: string | null
}

/** Adds the ledger's receipts to the index, in the order of their creation. */
export class RequestIndex {
  readonly #index: Database
  readonly #readProgress: Statement<Progress, []>
  readonly #readLedger: Statement<LedgerRow, [bigint, bigint]>
  readonly #readEnd: Statement<{ row: bigint | null }, []>
  readonly #insert: Statement<unknown, (string | bigint | null)[]>
  readonly #label: Statement<unknown, (string | bigint)[]>
  readonly #sums: RequestSums
  readonly #segments: RequestSegments
  readonly #ledger: Database
  readonly #pruned: PrunedRequests
  readonly #moveOn: Statement<unknown, [bigint, bigint | null, string | null]>

  constructor(index: Database, ledger: Database) {
    this.#index = index
    this.#ledger = ledger
    index.transaction(() => checkProgress(index, ledger)).immediate()
    this.#readProgress = index.prepare("SELECT row, last_row, last_request FROM progress")
    this.#readLedger = ledger.prepare(
      `SELECT rowid AS row, account, at, request, key, amount, receipt,
        (SELECT sum(min(amount, ${MAX_REPORTED_AMOUNT})) FROM write_offs WHERE write_offs.request = entries.request) AS written_off,
        (SELECT rowid FROM entries AS other WHERE other.replaced = entries.request) AS replaces
      FROM entries WHERE rowid > ? ORDER BY rowid LIMIT ?`,
    )
    this.#readEnd = ledger.prepare(LAST_ROW)
    this.#insert = index.prepare(`INSERT INTO requests VALUES (${Array(22).fill("?").join(", ")})`)
    this.#label = index.prepare("INSERT OR IGNORE INTO request_labels VALUES (?, ?, ?, ?)")
    this.#sums = new RequestSums(index, INDEX_SUMS)
    this.#segments = new RequestSegments(index)
    this.#pruned = new PrunedRequests(index, ledger, { sums: this.#sums, segments: this.#segments })
    this.#moveOn = index.prepare(
      "UPDATE progress SET row = ?, last_row = coalesce(?, last_row), last_request = coalesce(?, last_request)",
    )
  }

  /**
   * Indexes the next rows.
   *
   * Only one process writes at a time, so a row that is committed later never has a lower rowid.
   * @param size number of rows. By default, steps are so short that queries between them do not wait long.
   * @returns whether there may be more rows.
   */
  indexNext(size?: number): boolean {
    const from = this.#readProgress.get()?.row ?? 0n
    // All reads see one state of the ledger. The next step detects rows that are pruned in the meantime.
    const { isPruned, rows, chunk } = this.#ledger.transaction(() => {
      const isPruned = this.#pruned.catchUp(from)
      const behind = (this.#readEnd.get()?.row ?? 0n) - from
      const chunk = size ?? (behind > FAR_BEHIND ? LARGE_CHUNK : CHUNK)
      return { isPruned, rows: this.#readLedger.all(from, BigInt(chunk)), chunk }
    })()
    if (isPruned) return true
    const last = rows.at(-1)
    if (!last) return false
    const summaries = rows.flatMap((row) => summarize(row) ?? [])
    const replaced = rows.flatMap(({ replaces }) => replaces ?? [])
    this.#index
      .transaction(() => {
        // If another process has indexed these rows in the meantime, the next step continues after them.
        if (this.#readProgress.get()?.row === from) this.#add(summaries, replaced, last.row)
      })
      .immediate()
    return rows.length === chunk
  }

  #add(summaries: readonly RequestSummary[], replaced: readonly bigint[], row: bigint): void {
    for (const summary of summaries) this.#insertRequest(summary)
    this.#sums.add(summaries, 1)
    // If an expired request was settled after all, only its real receipt counts.
    const gone = replaced.flatMap((replacedRow) => removeRequest(this.#index, replacedRow) ?? [])
    for (const replacedRow of replaced) this.#segments.remove(replacedRow)
    if (gone.length > 0) this.#sums.add(gone, -1)
    this.#segments.append()
    const last = summaries.at(-1)
    this.#moveOn.run(row, last ? BigInt(last.row) : null, last?.request ?? null)
  }

  #insertRequest(summary: RequestSummary): void {
    this.#insert.run(...valuesOf(summary))
    for (const { name, value } of listLabels(summary.labels)) {
      this.#label.run(name, value, BigInt(summary.at), BigInt(summary.row))
    }
  }
}

/** Clears an index that belongs to another ledger, or to a later state of the same ledger. */
function checkProgress(index: Database, ledger: Database): void {
  const progress = index
    .query<Progress, []>("SELECT row, last_row, last_request FROM progress")
    .get()
  if (progress && progress.row === 0n) return
  const end = ledger.query<{ row: bigint | null }, []>(LAST_ROW).get()
  const isBehind = progress && progress.row <= (end?.row ?? 0n)
  if (isBehind && isSameDatabase(progress, ledger)) return
  clearIndex(index)
}

function isSameDatabase({ last_row, last_request }: Progress, ledger: Database): boolean {
  if (last_row === null) return true
  const row = ledger
    .query<{ request: string | null }, [bigint]>(
      "SELECT coalesce(request, replaced) AS request FROM entries WHERE rowid = ?",
    )
    .get(last_row)
  return row?.request === last_request
}

function valuesOf(summary: RequestSummary): (string | bigint | null)[] {
  const { duration, firstByte } = summary
  return [
    BigInt(summary.row),
    summary.request,
    summary.account,
    summary.key,
    summary.endpoint,
    summary.model,
    summary.provider,
    summary.priceGroup,
    summary.status,
    summary.outcome,
    summary.failed ? 1n : 0n,
    summary.stream ? 1n : 0n,
    summary.estimated ? 1n : 0n,
    BigInt(summary.at),
    duration === null ? null : BigInt(duration),
    firstByte === null ? null : BigInt(firstByte),
    BigInt(summary.input),
    BigInt(summary.output),
    summary.cost,
    summary.writtenOff,
    summary.providerCost,
    Object.keys(summary.labels).length === 0 ? null : JSON.stringify(summary.labels),
  ]
}
