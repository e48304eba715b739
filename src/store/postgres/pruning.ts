import { HashSum } from "../../accounting/hash-sum.ts"
import type { NewAuditRecord } from "../audit.ts"
import { MAX_REQUEST_MS } from "../entries.ts"
import type { PrunedRows, PruneStep } from "../integrity.ts"
import { firstRequestOf } from "../request-search.ts"
import { appendAudit } from "../steps/audit.ts"
import { ENTRY_COLUMNS } from "../steps/entry-rows.ts"
import { findPrunedRows } from "../steps/integrity.ts"
import { runStep } from "./run-steps.ts"
import type { PostgresClient, Statements, Transaction } from "./client.ts"
import { PostgresFailure } from "./failure.ts"
import { removeSegments } from "./request-segments.ts"
import { monthOf, partitionsUntil } from "./partitions.ts"

/** The number of the advisory lock for pruning, which is "prun" as a number. */
const LOCK = 1886549358n
const LOCK_NOT_AVAILABLE = "55P03"
/** Maximum time that pruning waits for the lock on the tables, because all other transactions wait behind it. */
const LOCK_TIMEOUT_MS = 100
const MAX_ATTEMPTS = 100
/** Maximum pause between attempts. The actual pauses are random. */
const MAX_PAUSE_MS = 500
/** Number of hashes that one statement fetches. */
const FETCH_SIZE = 5_000

const COLUMNS = `${ENTRY_COLUMNS}, position`

const NOTHING: PruneStep = { removed: 0, isBehind: false, isPruned: false }

/**
 * Removes rows older than a moment in one transaction: whole partitions, and rows of the default partitions. Rows are
 * locked against changes while they are added up. All other use of the tables is blocked only briefly at the end.
 */
export async function prune(
  client: PostgresClient,
  moment: number,
  audit: NewAuditRecord,
): Promise<PruneStep> {
  // Partitions of entries cover a month each.
  const before = monthOf(moment)
  if ((await runStep(client, findPrunedRows())).until >= before) return NOTHING
  return client.longTransaction(async (transaction) => {
    const own = await transaction.row<{ locked: boolean }>(
      "SELECT pg_try_advisory_xact_lock($1) AS locked",
      [LOCK],
    )
    const known = await runStep(transaction, findPrunedRows())
    if (own?.locked !== true || known.until >= before) return NOTHING
    // Receipts of the last day are kept, because they may belong to entries of the next month.
    const old = {
      entries: await partitionsUntil(transaction, "entries", before),
      receipts: await partitionsUntil(transaction, "receipts", before - MAX_REQUEST_MS),
    }
    const tables = [...old.entries, ...old.receipts]
    if (tables.length > 0) await transaction.run(`LOCK TABLE ${tables.join(", ")} IN SHARE MODE`)
    if (!(await isAnchored(transaction, old, before))) return NOTHING
    const sum = new Removed(known)
    await decide(transaction, before)
    await writePrunedSums(transaction, before)
    await addUp(transaction, sum, old)
    await setSurvivorsAside(transaction, old.entries)
    await removeOthers(transaction, sum, before)
    await drop(transaction, tables)
    await transaction.run(
      `DELETE FROM request_labels AS label WHERE at < ${before}
         AND NOT EXISTS (SELECT FROM receipts WHERE receipts.request = label.request)`,
    )
    await removeSegments(transaction, before)
    await transaction.run(
      "UPDATE pruned_rows SET until = $1, row_count = $2, hash_sum = $3, last_row = $4",
      [BigInt(before), BigInt(sum.hashes.count), sum.hashes.text, sum.last],
    )
    await runStep(transaction, appendAudit(audit))
    return { removed: sum.hashes.count - known.rowCount, isBehind: false, isPruned: true }
  }, "READ COMMITTED")
}

interface HashRow {
  readonly hash: string | null
  readonly position: bigint
}

/** The sums of all rows that were removed so far. */
class Removed {
  readonly hashes: HashSum
  /** The highest position of a removed row. */
  last: bigint

  constructor({ hashSum, rowCount, lastRow }: PrunedRows) {
    this.hashes = new HashSum(hashSum, rowCount)
    this.last = BigInt(lastRow)
  }

  add(rows: readonly HashRow[]): void {
    for (const { hash, position } of rows) {
      this.hashes.add(hash)
      if (position > this.last) this.last = position
    }
  }
}

/** Whether the anchor covers all rows of the old partitions, and its last row is in a newer partition. */
async function isAnchored(
  transaction: Statements,
  { entries, receipts }: OldPartitions,
  before: number,
): Promise<boolean> {
  const beyond = "position >= (SELECT last_row FROM anchor) LIMIT 1"
  for (const statement of [
    `SELECT 1 FROM entries_other WHERE at < ${before} AND ${beyond}`,
    ...entries.map((table) => `SELECT 1 FROM ${table} WHERE ${beyond}`),
    ...receipts.map((table) => `SELECT 1 FROM ${table} WHERE entry IS NULL AND ${beyond}`),
  ]) {
    if (await transaction.row(statement)) return false
  }
  return true
}

/**
 * Determines the last entry to remove in each account, which is the one before the first entry at or after `before`.
 * The newest entry of an account is always kept, because it verifies the removed entries.
 */
async function decide(transaction: Statements, before: number): Promise<void> {
  await transaction.run(
    `CREATE TEMP TABLE pruning ON COMMIT DROP AS
     SELECT account, coalesce((SELECT number FROM entries AS kept
         WHERE kept.account = old.account AND kept.at >= ${before} ORDER BY number LIMIT 1), newest) - 1 AS number
     FROM (SELECT account, max(number) AS newest FROM entries WHERE at < ${before} GROUP BY account) AS old`,
  )
  await transaction.run("ANALYZE pruning")
}

async function writePrunedSums(transaction: Statements, before: number): Promise<void> {
  const removed = `entries JOIN pruning ON pruning.account = entries.account AND entries.number <= pruning.number
    WHERE at < ${before}`
  const day = "to_char(to_timestamp(at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
  const month = "to_char(to_timestamp(at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM')"
  await transaction.run(
    `INSERT INTO pruned_budgets AS known (owner, spent)
     SELECT owner, -sum(amount) FROM (
       SELECT key AS owner, amount FROM ${removed} AND budgets & 1 <> 0
       UNION ALL SELECT key || '@' || ${day}, amount FROM ${removed} AND budgets & 2 <> 0
       UNION ALL SELECT key || '@' || ${month}, amount FROM ${removed} AND budgets & 4 <> 0
       UNION ALL SELECT entries.account || '@' || ${day}, amount FROM ${removed} AND budgets & 8 <> 0
       UNION ALL SELECT entries.account || '@' || ${month}, amount FROM ${removed} AND budgets & 16 <> 0
     ) AS drawn GROUP BY owner
     ON CONFLICT (owner) DO UPDATE SET spent = known.spent + excluded.spent`,
  )
  await transaction.run(
    `INSERT INTO last_pruned_entries (account, number, balance, hash)
     SELECT entries.account, entries.number, balance, hash FROM ${removed} AND entries.number = pruning.number
     ON CONFLICT (account) DO UPDATE SET number = excluded.number, balance = excluded.balance, hash = excluded.hash`,
  )
}

/** The partitions that will be dropped. */
interface OldPartitions {
  readonly entries: readonly string[]
  readonly receipts: readonly string[]
}

async function addUp(
  transaction: Statements,
  sum: Removed,
  { entries, receipts }: OldPartitions,
): Promise<void> {
  for (const table of entries) {
    const rows = `SELECT hash, position FROM ${table} JOIN pruning USING (account) WHERE ${table}.number <= pruning.number`
    await addRows(transaction, sum, { table, rows })
  }
  for (const table of receipts) {
    const rows = `SELECT hash, position FROM ${table} WHERE entry IS NULL`
    await addRows(transaction, sum, { table, rows })
  }
}

async function addRows(
  transaction: Statements,
  sum: Removed,
  { table, rows }: { readonly table: string; readonly rows: string },
): Promise<void> {
  const cursor = `pruned_${table}`
  await transaction.run(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${rows}`)
  for (;;) {
    const fetched = await transaction.rows<HashRow>(`FETCH ${FETCH_SIZE} FROM ${cursor}`)
    if (fetched.length === 0) break
    sum.add(fetched)
  }
  await transaction.run(`CLOSE ${cursor}`)
}

/**
 * Saves entries that are kept although their partitions are dropped: the last entries of unused accounts, and late
 * entries.
 */
async function setSurvivorsAside(
  transaction: Statements,
  tables: readonly string[],
): Promise<void> {
  await transaction.run(
    "CREATE TEMP TABLE survivors ON COMMIT DROP AS SELECT * FROM entries WHERE false",
  )
  for (const table of tables) {
    await transaction.run(
      `INSERT INTO survivors (${COLUMNS}) SELECT ${COLUMNS} FROM ${table} WHERE NOT EXISTS (
         SELECT FROM pruning WHERE pruning.account = ${table}.account AND ${table}.number <= pruning.number)`,
    )
  }
}

/** Removes old rows of the default partitions. */
async function removeOthers(transaction: Statements, sum: Removed, before: number): Promise<void> {
  const newest = firstRequestOf(before - MAX_REQUEST_MS)
  const ofTime = `request >= 'req_' AND request < '${newest}'`
  const anchored = "position < (SELECT last_row FROM anchor)"
  for (const statement of [
    `DELETE FROM entries_other USING pruning WHERE pruning.account = entries_other.account
       AND entries_other.number <= pruning.number RETURNING hash, position`,
    `DELETE FROM receipts_other WHERE entry IS NULL AND ${ofTime} AND ${anchored} RETURNING hash, position`,
    `DELETE FROM expired_receipts WHERE ${ofTime} AND ${anchored} RETURNING hash, position`,
  ]) {
    sum.add(await transaction.rows<HashRow>(statement))
  }
  await transaction.run(`DELETE FROM receipts_other WHERE entry IS NOT NULL AND ${ofTime}`)
}

/**
 * Drops tables.
 * @throws PostgresFailure if the tables stay in use. Nothing was changed in that case.
 */
async function drop(transaction: Transaction, tables: readonly string[]): Promise<void> {
  if (tables.length === 0) return
  await transaction.script(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
  for (let attempt = 1; ; attempt++) {
    await transaction.script("SAVEPOINT waiting")
    try {
      await transaction.script(
        `LOCK TABLE ONLY entries, ONLY receipts IN ACCESS EXCLUSIVE MODE; DROP TABLE ${tables.join(", ")};
         INSERT INTO entries (${COLUMNS}) SELECT ${COLUMNS} FROM survivors`,
      )
      return
    } catch (error) {
      const isBusy = error instanceof PostgresFailure && error.code === LOCK_NOT_AVAILABLE
      if (!isBusy || attempt === MAX_ATTEMPTS) throw error
      await transaction.script("ROLLBACK TO waiting")
      await Bun.sleep(MAX_PAUSE_MS * Math.random())
    }
  }
}
