import { DAY_MS } from "#contract/durations.ts"
import { type EncodedSegment, encodeSegment, namesOf, SEGMENT_SIZE } from "../columns/segment.ts"
import type { RequestSummary } from "../request-summary.ts"
import { byteArrays, texts } from "./arrays.ts"
import type { PostgresClient, Statements } from "./client.ts"
import { REQUEST_COLUMNS, type SummaryRow, summaryFromRow } from "../steps/request-rows.ts"

/** The columns of receipts that are stored in segments. */
const COLUMNS = `${REQUEST_COLUMNS}, failed, coalesce(provider_cost, cost + written_off) AS provider_cost`
/**
 * Selects receipts after position $1 and up to $2, at most $3, in the order of their positions. Charged receipts have
 * the positions of their entries. `OFFSET 0` forces the planner to look up each receipt by its request.
 */
const RECEIPTS = `(SELECT e.position AS row, r.* FROM (
    SELECT position, request FROM entries WHERE kind = 'charge' AND position > $1 AND position <= $2
    ORDER BY position LIMIT $3
  ) AS e CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM receipts AS r WHERE r.request = e.request OFFSET 0) AS r)
  UNION ALL (SELECT r.position AS row, ${COLUMNS} FROM receipts AS r
    WHERE entry IS NULL AND NOT is_expired AND position > $1 AND position <= $2 ORDER BY position LIMIT $3)
  ORDER BY row LIMIT $3`
const EXPIRED = `SELECT r.* FROM expired_requests AS e CROSS JOIN LATERAL (
    SELECT r.position AS row, ${COLUMNS} FROM receipts AS r WHERE r.request = e.request AND is_expired OFFSET 0
  ) AS r WHERE e.at >= $1 AND e.at < $2`
const LAST_POSITION = 2n ** 63n - 1n

/**
 * Creates a segment from receipts that are not in a segment yet, if there are enough. Only receipts that the anchor
 * covers are used, because later receipts get higher positions.
 * @returns whether there may be enough for another segment.
 */
export async function appendSegment(client: PostgresClient): Promise<boolean> {
  if (!(await mayHaveMore(client))) return false
  return client.transaction(async (transaction) => {
    const end = await transaction.row<{ position: bigint; anchored: bigint }>(
      `SELECT position, (SELECT last_row FROM anchor) AS anchored FROM segment_end FOR UPDATE SKIP LOCKED`,
    )
    // Another node is creating a segment at the same time.
    if (!end) return false
    const requests = await readReceipts(transaction, {
      behind: end.position,
      until: end.anchored,
      limit: SEGMENT_SIZE,
    })
    if (requests.length < SEGMENT_SIZE) return false
    // Rounded up to the day, because most names occur again on the same day.
    const last = Math.ceil(Math.max(...requests.map(({ at }) => at)) / DAY_MS) * DAY_MS
    const ids = await takeIds(transaction, namesOf(requests), last)
    await write(
      transaction,
      encodeSegment(requests, (name) => ids.get(name) ?? 0),
    )
    return true
  })
}

/**
 * Whether there may be enough receipts. The check uses an upper bound, because other rows of the ledger also have
 * positions.
 */
async function mayHaveMore(statements: Statements): Promise<boolean> {
  const row = await statements.row<{ more: boolean }>(
    "SELECT last_row - position >= $1 AS more FROM anchor, segment_end",
    [BigInt(SEGMENT_SIZE)],
  )
  return row?.more === true
}

interface Page {
  readonly behind: bigint
  readonly until?: bigint
  readonly limit: number
}

/** Returns the receipts of requests that have not expired. */
export async function readReceipts(
  statements: Statements,
  { behind, until = LAST_POSITION, limit }: Page,
): Promise<RequestSummary[]> {
  const rows = await statements.rows<SummaryRow>(RECEIPTS, [behind, until, BigInt(limit)])
  return rows.map(summaryFromRow)
}

/**
 * Returns the receipts of expired requests in a time range.
 * @param to the end, exclusive.
 */
export async function readExpired(
  statements: Statements,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<RequestSummary[]> {
  const rows = await statements.rows<SummaryRow>(EXPIRED, [BigInt(from), BigInt(to)])
  return rows.map(summaryFromRow)
}

interface NameRow {
  readonly id: number
  readonly name: string
}

/** Returns the ids of those names that have one. */
export async function findIds(
  statements: Statements,
  names: Iterable<string>,
): Promise<Map<string, number>> {
  const rows = await statements.rows<NameRow>(
    "SELECT id, name FROM request_names WHERE name = ANY($1)",
    [texts([...names])],
  )
  // The empty name has the id 0.
  return new Map([["", 0], ...rows.map(({ id, name }) => [name, id] as const)])
}

/**
 * Assigns the missing ids.
 * @param last start of the last request with these names.
 */
async function takeIds(
  transaction: Statements,
  names: ReadonlySet<string>,
  last: number,
): Promise<Map<string, number>> {
  const wanted = texts([...names].filter((name) => name !== ""))
  await transaction.run(
    "UPDATE request_names SET last_at = $2 WHERE name = ANY($1) AND last_at < $2",
    [wanted, BigInt(last)],
  )
  await transaction.run(
    `INSERT INTO request_names (name, last_at) SELECT name, $2 FROM unnest($1::text[]) AS wanted (name)
     WHERE NOT EXISTS (SELECT FROM request_names AS known WHERE known.name = wanted.name)`,
    [wanted, BigInt(last)],
  )
  return findIds(transaction, names)
}

async function write(
  transaction: Statements,
  { count, from, to, lastRow, columns }: EncodedSegment,
): Promise<void> {
  const made = await transaction.row<{ id: bigint }>(
    "INSERT INTO request_segments (count, first_at, last_at) VALUES ($1, $2, $3) RETURNING id",
    [BigInt(count), BigInt(from), BigInt(to)],
  )
  await transaction.run(
    "INSERT INTO segment_columns SELECT $1, name, numbers FROM unnest($2::text[], $3::bytea[]) AS c (name, numbers)",
    [made?.id ?? 0n, texts([...columns.keys()]), byteArrays([...columns.values()])],
  )
  await transaction.run("UPDATE segment_end SET position = $1", [BigInt(lastRow)])
}

/**
 * Removes segments that only contain requests from before a moment. Segments with a newer request are kept as a whole.
 */
export async function removeSegments(transaction: Statements, before: number): Promise<void> {
  await transaction.run(`DELETE FROM request_segments WHERE last_at < ${BigInt(before)}`)
  await transaction.run(`DELETE FROM expired_requests WHERE at < ${BigInt(before)}`)
  await transaction.run(`DELETE FROM request_names WHERE last_at < ${BigInt(before)}`)
}
