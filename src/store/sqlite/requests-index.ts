import type { Database, Statement } from "bun:sqlite"
import { takeRequestOut } from "./requests-list.ts"
import { type LedgerRow, type RequestSummary, summarize } from "../request-summary.ts"
import { HOUR, HOURS_OF_DAY } from "../usage-sums.ts"
import { clearIndex } from "./schemas/reports.ts"

/** How many rows of the ledger one step takes: a query in between waits no longer than for these. */
const CHUNK = 250

interface Progress {
  row: bigint
  last_row: bigint | null
  last_request: string | null
}

/** What a chunk adds to one row of sums. */
interface Sum {
  readonly hour: number
  readonly summary: RequestSummary
  requests: number
  errors: number
  input: number
  output: number
  cost: bigint
  writtenOff: bigint
  durations: number
  duration: number
  firstBytes: number
  firstByte: number
}

interface KeySum {
  lastUsedAt: number
  requests: number
  spent: bigint
}

const ADDED = [
  "requests",
  "errors",
  "input",
  "output",
  "cost",
  "written_off",
  "durations",
  "duration",
  "first_bytes",
  "first_byte",
]

function addSums(table: string): string {
  const sums = ADDED.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")
  return `INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET ${sums}`
}

/** Takes the ledger's receipts into the index, in the order they were written. */
export class RequestIndex {
  readonly #index: Database
  readonly #readProgress: Statement<Progress, []>
  readonly #readLedger: Statement<LedgerRow, [bigint, bigint]>
  readonly #insert: Statement<unknown, (string | bigint | null)[]>
  readonly #addHours: Statement<unknown, (string | bigint)[]>
  readonly #addDays: Statement<unknown, (string | bigint)[]>
  readonly #addKey: Statement<unknown, [string, bigint, bigint, bigint]>
  readonly #moveOn: Statement<unknown, [bigint, bigint | null, string | null]>

  constructor(index: Database, ledger: Database) {
    this.#index = index
    index.transaction(() => checkProgress(index, ledger)).immediate()
    this.#readProgress = index.prepare("SELECT row, last_row, last_request FROM progress")
    this.#readLedger = ledger.prepare(
      `SELECT rowid AS row, account, at, request, key, amount, receipt,
        (SELECT sum(amount) FROM write_offs WHERE write_offs.request = entries.request) AS written_off,
        (SELECT rowid FROM entries AS other WHERE other.replaced = entries.request) AS replaces
      FROM entries WHERE rowid > ? ORDER BY rowid LIMIT ?`,
    )
    this.#insert = index.prepare(
      "INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    this.#addHours = index.prepare(addSums("usage_hours"))
    this.#addDays = index.prepare(addSums("usage_days"))
    this.#addKey = index.prepare(
      `INSERT INTO key_uses VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
        last_used_at = max(last_used_at, excluded.last_used_at),
        requests = requests + excluded.requests, spent = spent + excluded.spent`,
    )
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
    const rows = this.#readLedger.all(from, BigInt(CHUNK))
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
    return rows.length === CHUNK
  }

  #take(summaries: readonly RequestSummary[], replaced: readonly bigint[], row: bigint): void {
    for (const summary of summaries) this.#insert.run(...valuesOf(summary))
    this.#addSums(summaries, 1)
    // What had expired and was settled after all is counted once, as what it came to.
    const gone = replaced.flatMap((replacedRow) => takeRequestOut(this.#index, replacedRow) ?? [])
    if (gone.length > 0) this.#addSums(gone, -1)
    const last = summaries.at(-1)
    this.#moveOn.run(row, last ? BigInt(last.row) : null, last?.request ?? null)
  }

  /** @param sign 1 adds them, -1 takes them away again. */
  #addSums(summaries: readonly RequestSummary[], sign: 1 | -1): void {
    const factor = BigInt(sign)
    for (const sum of sumsOf(summaries, 1)) this.#addHours.run(...sumValues(sum, factor))
    for (const sum of sumsOf(summaries, HOURS_OF_DAY)) {
      this.#addDays.run(...sumValues(sum, factor))
    }
    for (const [key, { lastUsedAt, requests, spent }] of keySumsOf(summaries)) {
      this.#addKey.run(key, BigInt(lastUsedAt), factor * BigInt(requests), factor * spent)
    }
  }
}

/** An index that was made from another ledger, or from a later state of this one, begins again. */
function checkProgress(index: Database, ledger: Database): void {
  const progress = index
    .query<Progress, []>("SELECT row, last_row, last_request FROM progress")
    .get()
  if (progress && progress.row === 0n) return
  const end = ledger
    .query<{ row: bigint | null }, []>("SELECT max(rowid) AS row FROM entries")
    .get()
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
  ]
}

/** @param span in hours; each sum stands at the first of its span. */
function sumsOf(summaries: readonly RequestSummary[], span: number): Iterable<Sum> {
  const sums = new Map<string, Sum>()
  for (const summary of summaries) {
    const hour = Math.floor(summary.at / HOUR / span) * span
    const { account, key, model, provider, outcome } = summary
    const name = JSON.stringify([hour, account, key, model, provider, outcome])
    let sum = sums.get(name)
    if (sum === undefined) sums.set(name, (sum = emptySum(hour, summary)))
    sum.requests++
    if (summary.failed) sum.errors++
    sum.input += summary.input
    sum.output += summary.output
    sum.cost += summary.cost
    sum.writtenOff += summary.writtenOff
    if (summary.status !== "settled") continue
    if (summary.duration !== null) {
      sum.durations++
      sum.duration += summary.duration
    }
    if (summary.firstByte !== null) {
      sum.firstBytes++
      sum.firstByte += summary.firstByte
    }
  }
  return sums.values()
}

function emptySum(hour: number, summary: RequestSummary): Sum {
  const counts = { requests: 0, errors: 0, input: 0, output: 0, cost: 0n, writtenOff: 0n }
  return { hour, summary, ...counts, durations: 0, duration: 0, firstBytes: 0, firstByte: 0 }
}

function sumValues(sum: Sum, sign: bigint): (string | bigint)[] {
  const { account, key, model, provider, outcome } = sum.summary
  return [
    BigInt(sum.hour),
    account,
    key,
    model,
    provider ?? "",
    outcome,
    sign * BigInt(sum.requests),
    sign * BigInt(sum.errors),
    sign * BigInt(sum.input),
    sign * BigInt(sum.output),
    sign * sum.cost,
    sign * sum.writtenOff,
    sign * BigInt(sum.durations),
    sign * BigInt(sum.duration),
    sign * BigInt(sum.firstBytes),
    sign * BigInt(sum.firstByte),
  ]
}

function keySumsOf(summaries: readonly RequestSummary[]): ReadonlyMap<string, KeySum> {
  const sums = new Map<string, KeySum>()
  for (const { key, at, cost } of summaries) {
    const sum = sums.get(key)
    if (sum === undefined) {
      sums.set(key, { lastUsedAt: at, requests: 1, spent: cost })
      continue
    }
    sum.lastUsedAt = Math.max(sum.lastUsedAt, at)
    sum.requests++
    sum.spent += cost
  }
  return sums
}
