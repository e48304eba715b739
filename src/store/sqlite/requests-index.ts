import type { Database, Statement } from "bun:sqlite"
import { listLabels } from "../../accounting/labels.ts"
import { MAX_REPORTED_AMOUNT } from "../../accounting/maxima.ts"
import { takeRequestOut } from "./requests-list.ts"
import { type LedgerRow, type RequestSummary, summarize } from "../request-summary.ts"
import { RequestSegments } from "./request-segments.ts"
import { RequestSums } from "./request-sums.ts"
import { PrunedRequests } from "./pruned-requests.ts"
import { clearIndex } from "./schemas/reports.ts"

/** How many rows of the ledger one step takes: a query in between waits no longer than for these. */
const CHUNK = 250
/** The same where it is far behind, and how far that is: a row in a large step costs little more than half of one in a small one. */
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

/** Takes the ledger's receipts into the index, in the order they were written. */
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
    this.#insert = index.prepare(`INSERT INTO requests VALUES (${Array(21).fill("?").join(", ")})`)
    this.#label = index.prepare("INSERT OR IGNORE INTO request_labels VALUES (?, ?, ?, ?)")
    this.#sums = new RequestSums(index, INDEX_SUMS)
    this.#segments = new RequestSegments(index)
    this.#pruned = new PrunedRequests(index, ledger, { sums: this.#sums, segments: this.#segments })
    this.#moveOn = index.prepare(
      "UPDATE progress SET row = ?, last_row = coalesce(?, last_row), last_request = coalesce(?, last_request)",
    )
  }

  /**
   * Takes the next rows in.
   *
   * A row of the ledger that is committed later never has a smaller rowid, since one writes at a time.
   * @returns whether there may be more.
   */
  bringUp(): boolean {
    const from = this.#readProgress.get()?.row ?? 0n
    // One state of it: what is removed meanwhile is noticed the next time.
    const { isPruned, rows, chunk } = this.#ledger.transaction(() => {
      const isPruned = this.#pruned.catchUp(from)
      const behind = (this.#readEnd.get()?.row ?? 0n) - from
      const chunk = behind > FAR_BEHIND ? LARGE_CHUNK : CHUNK
      return { isPruned, rows: this.#readLedger.all(from, BigInt(chunk)), chunk }
    })()
    if (isPruned) return true
    const last = rows.at(-1)
    if (!last) return false
    const summaries = rows.flatMap((row) => summarize(row) ?? [])
    const replaced = rows.flatMap(({ replaces }) => replaces ?? [])
    this.#index
      .transaction(() => {
        // Another process may have been quicker: then its work stands, and the next go begins behind it.
        if (this.#readProgress.get()?.row === from) this.#take(summaries, replaced, last.row)
      })
      .immediate()
    return rows.length === chunk
  }

  #take(summaries: readonly RequestSummary[], replaced: readonly bigint[], row: bigint): void {
    for (const summary of summaries) this.#insertRequest(summary)
    this.#sums.add(summaries, 1)
    // What had expired and was settled after all is counted once, as what it came to.
    const gone = replaced.flatMap((replacedRow) => takeRequestOut(this.#index, replacedRow) ?? [])
    for (const replacedRow of replaced) this.#segments.takeOut(replacedRow)
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

/** An index that was made from another ledger, or from a later state of this one, begins again. */
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
