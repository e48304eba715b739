import type { InstallationSecrets } from "../../secrets/installation-secrets.ts"
import type { CopiedFile, CopiedRow, CopiedValue, CopySource } from "../copy/copy.ts"
import type { CopiedTable } from "../copy/tables.ts"
import type { FileKind } from "../kept-files.ts"
import { LedgerError } from "../ledger-error.ts"
import { SUMS } from "../usage-sums.ts"
import type { Statements } from "./client.ts"
import { NAMES, NAMES_OF_RECEIPT, PLACES } from "./report-columns.ts"

/** Number of rows that are fetched at once. It is lower for tables with large rows. */
const FETCH_ROWS = 1_000
const LARGE_ROWS: Readonly<Record<string, number>> = {
  entries: 500,
  contents: 20,
  conversation_parts: 20,
}

/** Every change writes to at least one of these tables. */
const WRITTEN_TABLES = "nodes, balances, audit, revisions, idempotency, users, sessions"

/** Entries with their receipts, and the receipts of uncharged requests. */
const ENTRIES = `SELECT e.position, e.account, e.number, e.kind, e.amount, e.balance, e.at, e.request, e.note, e.author,
    e.receipt_hash, e.previous_hash, e.hash, e.key, e.budgets, r.body AS receipt, NULL AS replaced
  FROM entries AS e LEFT JOIN receipts AS r ON r.request = e.request AND r.entry = e.number AND r.account = e.account
  UNION ALL SELECT position, account, NULL, CASE WHEN is_expired THEN 'expired' END, NULL, NULL, at, request, NULL, NULL,
    NULL, NULL, hash, key, 0, body, NULL FROM receipts WHERE entry IS NULL
  UNION ALL SELECT position, account, NULL, 'expired', NULL, NULL, at, NULL, NULL, NULL,
    NULL, NULL, hash, key, 0, body, request FROM expired_receipts`

/** The part of the hourly sums that belongs to pruned requests. */
const PRUNED_HOURS = `WITH present AS (
    SELECT at / 3600000 AS hour, ${NAMES_OF_RECEIPT},
      count(*) AS requests,
      count(*) FILTER (WHERE failed) AS errors, sum(input)::bigint AS input, sum(output)::bigint AS output,
      stored_amount(sum(cost)) AS cost, stored_amount(sum(written_off)) AS written_off,
      stored_amount(sum(coalesce(provider_cost, cost + written_off))) AS provider_cost,
      count(duration) FILTER (WHERE status = 'settled') AS durations,
      coalesce(sum(duration) FILTER (WHERE status = 'settled'), 0)::bigint AS duration,
      count(first_byte) FILTER (WHERE status = 'settled') AS first_bytes,
      coalesce(sum(first_byte) FILTER (WHERE status = 'settled'), 0)::bigint AS first_byte
    FROM receipts GROUP BY ${PLACES})
  SELECT hour, ${NAMES},
    ${SUMS.map((sum) => `known.${sum} - coalesce(present.${sum}, 0) AS ${sum}`).join(", ")}
  FROM usage_hours AS known LEFT JOIN present USING (hour, ${NAMES})
  WHERE known.requests > coalesce(present.requests, 0)`

const PRUNED_KEY_USES = `WITH present AS (
    SELECT key, count(*) AS requests, stored_amount(sum(cost)) AS spent FROM receipts GROUP BY key)
  SELECT key, last_used_at, known.requests - coalesce(present.requests, 0) AS requests,
    known.spent - coalesce(present.spent, 0) AS spent
  FROM key_uses AS known LEFT JOIN present USING (key) WHERE known.requests > coalesce(present.requests, 0)`

/** Queries of tables that require more than a plain read. */
const SELECTS: Readonly<Record<string, string>> = {
  entries: ENTRIES,
  pruned_hours: PRUNED_HOURS,
  pruned_key_uses: PRUNED_KEY_USES,
}

/**
 * Returns the contents of a database for a copy. They are read in a transaction that sees one state and blocks all
 * writes until it ends.
 * @throws LedgerError `unavailable` if a node is running.
 */
export async function copySource(
  transaction: Statements,
  secrets: InstallationSecrets,
  place: string,
): Promise<CopySource> {
  await transaction.run(`LOCK TABLE ${WRITTEN_TABLES} IN SHARE MODE`)
  await transaction.run("SET LOCAL cursor_tuple_fraction = 1")
  const row = await transaction.row<{ nodes: bigint }>(
    "SELECT (SELECT count(*) FROM nodes) + (SELECT count(*) FROM holds) AS nodes",
  )
  if (row?.nodes !== 0n) {
    throw new LedgerError(
      "unavailable",
      `nodes are running on ${place}, or were killed: start one and stop all, so that they return their leases`,
    )
  }
  return {
    secrets,
    async findBeginning() {
      const found = await transaction.row<{ at: bigint | null }>(
        "SELECT min(at) AS at FROM receipts",
      )
      return found?.at ? Number(found.at) : null
    },
    rows: (table) => rowsOf(transaction, table),
    files: (kind) => filesOf(transaction, kind),
  }
}

type Cell = CopiedValue | number | boolean

async function* rowsOf(
  transaction: Statements,
  { name, columns }: CopiedTable,
): AsyncGenerator<readonly CopiedRow[]> {
  const order = name === "audit" || name === "write_offs" ? " ORDER BY number" : ""
  const select = SELECTS[name] ?? `SELECT ${columns.join(", ")} FROM ${name}${order}`
  // Statements are prepared by their text, so a shared cursor name would return rows of the first table.
  const cursor = `copied_${name}`
  await transaction.run(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${select}`)
  const fetch = `FETCH ${LARGE_ROWS[name] ?? FETCH_ROWS} FROM ${cursor}`
  for (;;) {
    const rows = await transaction.rows<Record<string, Cell>>(fetch)
    if (rows.length === 0) break
    yield rows.map((row) => columns.map((column) => valueOf(row[column] ?? null)))
  }
  await transaction.run(`CLOSE ${cursor}`)
}

function valueOf(cell: Cell): CopiedValue {
  if (typeof cell === "boolean") return cell ? 1n : 0n
  return typeof cell === "number" ? BigInt(cell) : cell
}

interface FileRow {
  readonly name: string
  readonly file: string
  readonly lifetime: bigint
}

async function* filesOf(transaction: Statements, kind: FileKind): AsyncGenerator<CopiedFile> {
  const files = await transaction.rows<FileRow>(
    `SELECT name, file, expires_at - tollgate_now() AS lifetime FROM kept_files
     WHERE kind = $1 AND expires_at > tollgate_now()`,
    [kind],
  )
  for (const { name, file, lifetime } of files) {
    const chunks = await transaction.rows<{ content: Buffer }>(
      "SELECT content FROM kept_file_chunks WHERE file = $1 ORDER BY number",
      [file],
    )
    const bytes = new Uint8Array(Buffer.concat(chunks.map(({ content }) => content)))
    yield { name, bytes, lifetime: Number(lifetime) }
  }
}
