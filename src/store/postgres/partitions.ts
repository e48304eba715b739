import { DAY_MS } from "#contract/durations.ts"
import { firstRequestOf } from "../request-search.ts"
import type { PostgresClient, Statements } from "./client.ts"

/** Number of days and months for which partitions are created in advance. */
const DAYS_AHEAD = 7
const MONTHS_AHEAD = 2
/** Number of days before a posting on which its request may have begun. */
const DAYS_BACK = 2
/** Number of months of copied receipts with daily partitions. Older months get one partition each. */
const DAILY_MONTHS = 2
const DAY_LENGTH = "2026-11-23".length
const MONTH_LENGTH = "2026-11".length
/** Maximum time that a partition change waits for a table lock, because all other transactions wait behind it. */
const LOCK_TIMEOUT_MS = 100

/** One partition of a table. The end of its range is exclusive. */
interface Partition {
  readonly table: "entries" | "receipts"
  readonly name: string
  /** The bounds as SQL literals. */
  readonly from: string
  readonly to: string
}

/**
 * Creates the partitions that are needed next. Rows outside of all ranges are in a default partition. If the default
 * partition already contains rows of a range, no partition is created for that range.
 * @param since also creates partitions since this time, for rows that are copied from another database.
 */
export async function ensurePartitions(
  client: PostgresClient,
  now: number,
  since = now,
): Promise<void> {
  const present = await presentPartitions(client)
  for (const partition of partitionsAround(now, since)) {
    if (!present.has(partition.name)) await create(client, partition)
  }
}

/** Returns the number of days, including today, for which partitions exist without a gap. */
export async function daysAhead(client: PostgresClient, now: number): Promise<number> {
  const present = await presentPartitions(client)
  const today = Math.floor(now / DAY_MS) * DAY_MS
  for (let days = 0; ; days++) {
    const day = today + days * DAY_MS
    const receipts = receiptsOf(day, day + DAY_MS, DAY_LENGTH)
    if (!present.has(receipts.name) || !present.has(entriesOf(monthOf(day)).name)) return days
  }
}

/** Returns the partitions of a table that end at or before a moment. */
export async function partitionsUntil(
  statements: Statements,
  table: Partition["table"],
  until: number,
): Promise<string[]> {
  const present = await presentPartitions(statements)
  return [...present].filter((name) => {
    const [, of, year, month, day] = NAME.exec(name) ?? []
    if (of !== table) return false
    const begin = Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1))
    return (day === undefined ? monthOf(begin, 1) : begin + DAY_MS) <= until
  })
}

const NAME = /^(entries|receipts)_(\d{4})_(\d{2})(?:_(\d{2}))?$/

/** Returns the names of all partitions. */
async function presentPartitions(client: Statements): Promise<ReadonlySet<string>> {
  const rows = await client.rows<{ name: string }>(
    "SELECT relname::text AS name FROM pg_class JOIN pg_inherits ON inhrelid = oid WHERE inhparent IN ('entries'::regclass, 'receipts'::regclass)",
  )
  return new Set(rows.map(({ name }) => name))
}

/** Returns the partitions that should exist at a moment. */
export function partitionsAround(now: number, since = now): Partition[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const firstDay = Math.min(
    today - DAYS_BACK * DAY_MS,
    Math.max(since, monthOf(now, -DAILY_MONTHS)),
  )
  const days: Partition[] = []
  for (
    let day = Math.floor(firstDay / DAY_MS) * DAY_MS;
    day <= today + DAYS_AHEAD * DAY_MS;
    day += DAY_MS
  ) {
    days.push(receiptsOf(day, day + DAY_MS, DAY_LENGTH))
  }
  const months: Partition[] = []
  const firstMonth = monthOf(Math.min(since, monthOf(now, -1)))
  for (let month = firstMonth; month <= monthOf(now, MONTHS_AHEAD); month = monthOf(month, 1)) {
    const end = monthOf(month, 1)
    months.push(entriesOf(month))
    if (end > since && end <= firstDay) months.push(receiptsOf(month, end, MONTH_LENGTH))
  }
  return [...days, ...months]
}

/**
 * Returns the start of the month that contains a moment, or of a later month.
 * @param later number of months.
 */
export function monthOf(at: number, later = 0): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1)
}

function receiptsOf(begin: number, end: number, length: number): Partition {
  return {
    table: "receipts",
    name: `receipts_${dateOf(begin, length)}`,
    from: `'${firstRequestOf(begin)}'`,
    to: `'${firstRequestOf(end)}'`,
  }
}

function entriesOf(month: number): Partition {
  return {
    table: "entries",
    name: `entries_${dateOf(month, MONTH_LENGTH)}`,
    from: String(month),
    to: String(monthOf(month, 1)),
  }
}

/** Formats a date as `2026_11_23` or `2026_11`. */
function dateOf(at: number, length: number): string {
  return new Date(at).toISOString().slice(0, length).replaceAll("-", "_")
}

async function create(client: PostgresClient, { table, name, from, to }: Partition): Promise<void> {
  const column = table === "receipts" ? "request" : "at"
  await client.transaction(async (transaction) => {
    await transaction.run(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    // Several nodes may try to create partitions at the same time.
    await transaction.run(`LOCK TABLE ${table}_other IN SHARE UPDATE EXCLUSIVE MODE`)
    const isTaken = await transaction.row(
      `SELECT 1 WHERE to_regclass('${name}') IS NOT NULL
         OR EXISTS (SELECT FROM ${table}_other WHERE ${column} >= ${from} AND ${column} < ${to})`,
    )
    if (isTaken) return
    await transaction.run(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`)
    // The table is attached in a separate step, because `CREATE TABLE ... PARTITION OF` would lock the whole table.
    await transaction.run(
      `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`,
    )
  })
}
