import type { PostgresClient } from "./client.ts"

const DAY = 24 * 60 * 60_000
/** How many days and months ahead there are partitions. */
const DAYS_AHEAD = 7
const MONTHS_AHEAD = 2
/** Requests that began before and are posted now. */
const DAYS_BACK = 2
/** Older rows that are copied lie in the default partitions. */
const MOST_DAYS_BACK = 400

/** One partition of a table, its end exclusive. */
interface Partition {
  readonly table: "entries" | "receipts"
  readonly name: string
  /** As SQL. */
  readonly from: string
  readonly to: string
}

/**
 * Makes the partitions that will be needed next, those that are not there yet. What is out of their range lies in a default
 * partition; a range of which rows lie there already is left to it.
 * @param since also those from then on, for rows that are copied from another database.
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

/** For how many days, today included, there are partitions without a gap. */
export async function daysAhead(client: PostgresClient, now: number): Promise<number> {
  const present = await presentPartitions(client)
  const today = Math.floor(now / DAY) * DAY
  for (let days = 0; ; days++) {
    const day = new Date(today + days * DAY)
    const month = entriesOf(day.getUTCFullYear(), day.getUTCMonth())
    if (!present.has(receiptsOf(day.getTime()).name) || !present.has(month.name)) return days
  }
}

/** Their names. */
async function presentPartitions(client: PostgresClient): Promise<ReadonlySet<string>> {
  const rows = await client.rows<{ name: string }>(
    "SELECT relname::text AS name FROM pg_class JOIN pg_inherits ON inhrelid = oid WHERE inhparent IN ('entries'::regclass, 'receipts'::regclass)",
  )
  return new Set(rows.map(({ name }) => name))
}

/** The partitions that there should be at a moment. */
export function partitionsAround(now: number, since = now): Partition[] {
  const today = Math.floor(now / DAY) * DAY
  const first = Math.max(since, now - MOST_DAYS_BACK * DAY)
  const daysBack = DAYS_BACK + Math.ceil((now - first) / DAY)
  const days = Array.from({ length: daysBack + DAYS_AHEAD + 1 }, (_, index) =>
    receiptsOf(today + (index - daysBack) * DAY),
  )
  const date = new Date(now)
  const begin = new Date(first)
  const years = date.getUTCFullYear() - begin.getUTCFullYear()
  const monthsBack = 1 + 12 * years + date.getUTCMonth() - begin.getUTCMonth()
  const months = Array.from({ length: monthsBack + MONTHS_AHEAD + 1 }, (_, index) =>
    entriesOf(date.getUTCFullYear(), date.getUTCMonth() + index - monthsBack),
  )
  return [...days, ...months]
}

function receiptsOf(day: number): Partition {
  const date = new Date(day).toISOString().slice(0, "2026-11-23".length).replaceAll("-", "_")
  return {
    table: "receipts",
    name: `receipts_${date}`,
    from: `'${firstRequestOf(day)}'`,
    to: `'${firstRequestOf(day + DAY)}'`,
  }
}

function entriesOf(year: number, month: number): Partition {
  const begin = Date.UTC(year, month, 1)
  const date = new Date(begin).toISOString().slice(0, "2026-11".length).replace("-", "_")
  return {
    table: "entries",
    name: `entries_${date}`,
    from: String(begin),
    to: String(Date.UTC(year, month + 1, 1)),
  }
}

/** Ids begin with their moment (RFC 9562, version 7): no request of a moment or later has a smaller one. */
export function firstRequestOf(at: number): string {
  const digits = at.toString(16).padStart(12, "0")
  return `req_${digits.slice(0, 8)}-${digits.slice(8)}`
}

async function create(client: PostgresClient, { table, name, from, to }: Partition): Promise<void> {
  const column = table === "receipts" ? "request" : "at"
  await client.transaction(async (transaction) => {
    // Several nodes may do this at the same time.
    await transaction.run(`LOCK TABLE ${table}_other IN SHARE UPDATE EXCLUSIVE MODE`)
    const isTaken = await transaction.row(
      `SELECT 1 WHERE to_regclass('${name}') IS NOT NULL
         OR EXISTS (SELECT FROM ${table}_other WHERE ${column} >= ${from} AND ${column} < ${to})`,
    )
    if (isTaken) return
    await transaction.run(
      `CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM (${from}) TO (${to})`,
    )
  })
}
