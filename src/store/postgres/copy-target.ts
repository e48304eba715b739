import { GENESIS_HASH } from "../../accounting/hash-chain.ts"
import type { InstallationSecrets } from "../../secrets/installation-secrets.ts"
import type { CopiedFile, CopiedRow, CopiedValue, CopyTarget } from "../copy/copy.ts"
import type { CopiedTable } from "../copy/tables.ts"
import type { FileKind } from "../kept-files.ts"
import { LedgerError } from "../ledger-error.ts"
import type { Statements } from "./client.ts"
import { type CopiedRecord, writeEntries } from "./copy-entries.ts"
import { CHUNK } from "./kept-files.ts"
import { NAMES, NAMES_OF_RECEIPT, PLACES } from "./report-columns.ts"

/**
 * Returns a writer that fills an empty database in a transaction. Until the transaction ends, no other client can use
 * the tables.
 * @param keepSecrets stores the secrets of the source.
 * @throws LedgerError `exists` if the database is not empty.
 */
export async function copyTarget(
  transaction: Statements,
  keepSecrets: (secrets: InstallationSecrets) => Promise<void>,
  place: string,
): Promise<CopyTarget> {
  await transaction.run("LOCK TABLE tollgate_schema, nodes, accounts IN ACCESS EXCLUSIVE MODE")
  const row = await transaction.row<{ taken: boolean }>(
    `SELECT EXISTS (SELECT FROM accounts) OR EXISTS (SELECT FROM users) OR EXISTS (SELECT FROM audit)
       OR EXISTS (SELECT FROM nodes) OR EXISTS (SELECT FROM console_settings) AS taken`,
  )
  if (row?.taken !== false) {
    throw new LedgerError(
      "exists",
      `there is a ledger at ${place} already: copy into an empty database`,
    )
  }
  return {
    write: (table, rows) => write(transaction, table, rows),
    writeFile: (kind, file) => writeFile(transaction, kind, file),
    keepSecrets,
  }
}

/** Computes the remaining data from the copied rows. */
export async function completeCopy(transaction: Statements): Promise<void> {
  for (const statement of COMPLETE) await transaction.run(statement)
  // Without new statistics, query plans for empty tables would remain in use.
  await transaction.run("ANALYZE")
}

async function write(
  transaction: Statements,
  table: CopiedTable,
  rows: readonly CopiedRow[],
): Promise<void> {
  const { name, columns } = table
  const records = rows.map((row) => recordOf(columns, row))
  if (name === "entries") return writeEntries(transaction, records)
  await transaction.run(STATEMENTS[name] ?? insertOf(table), [JSON.stringify(records)])
}

function recordOf(columns: readonly string[], row: CopiedRow): CopiedRecord {
  return Object.fromEntries(columns.map((column, index) => [column, textOf(row[index] ?? null)]))
}

function textOf(value: CopiedValue): string | null {
  if (value === null || typeof value === "string") return value
  if (typeof value === "bigint") return String(value)
  return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`
}

function insertOf({ name, columns }: CopiedTable): string {
  const list = columns.join(", ")
  return `INSERT INTO ${name} (${list}) SELECT ${list} FROM ${recordsOf(name)}`
}

function recordsOf(table: string): string {
  return `json_populate_recordset(NULL::${table}, $1::text::json) AS copied`
}

/** Insert statements for tables that require more than the copied rows. */
const STATEMENTS: Readonly<Record<string, string>> = {
  revisions: `UPDATE revisions SET number = copied.number FROM ${recordsOf("revisions")}
    WHERE revisions.name = copied.name`,
  anchor: `UPDATE anchor SET last_row = copied.last_row, last_hash = copied.last_hash, row_count = copied.row_count,
    hash_sum = copied.hash_sum, at = copied.at, write_offs = copied.write_offs,
    write_offs_hash = copied.write_offs_hash, audit = copied.audit, audit_hash = copied.audit_hash
    FROM ${recordsOf("anchor")}`,
  pruned_rows: `UPDATE pruned_rows SET until = copied.until, row_count = copied.row_count, hash_sum = copied.hash_sum,
    last_row = copied.last_row FROM ${recordsOf("pruned_rows")}`,
  pruned_hours: `INSERT INTO usage_hours SELECT * FROM ${recordsOf("usage_hours")}`,
  // The key determines the account.
  pruned_key_uses: `INSERT INTO key_uses (key, account, last_used_at, requests, spent)
    SELECT copied.key, coalesce(keys.account, ''), copied.last_used_at, copied.requests, copied.spent
    FROM ${recordsOf("key_uses")} LEFT JOIN keys ON keys.id = copied.key`,
  // The owner of a budget is its key, or starts with the id of its key or account.
  balances: `INSERT INTO balances (owner, account, posted, leased, allotted, number, hash)
    SELECT copied.owner, coalesce(accounts.id, keys.account), copied.posted, copied.leased, copied.allotted,
      CASE WHEN copied.allotted IS NULL THEN 0 END, CASE WHEN copied.allotted IS NULL THEN '${GENESIS_HASH}' END
    FROM ${recordsOf("balances")}
    LEFT JOIN accounts ON accounts.id = split_part(split_part(copied.owner, '@', 1), '#', 1)
    LEFT JOIN keys ON keys.id = split_part(copied.owner, '@', 1)`,
}

const COMPLETE = [
  `UPDATE balances SET number = last.number, hash = last.hash
   FROM (SELECT DISTINCT ON (account) account, number, hash FROM entries ORDER BY account, number DESC) AS last
   WHERE owner = last.account AND allotted IS NULL`,
  ...["audit", "write_offs"].map(
    (chain) => `UPDATE chain_ends SET number = last.number, hash = last.hash
      FROM (SELECT number, hash FROM ${chain} ORDER BY number DESC LIMIT 1) AS last WHERE name = '${chain}'`,
  ),
  `UPDATE receipts SET is_late = true
   WHERE request IN (SELECT request FROM expired_receipts)`,
  "INSERT INTO expired_requests SELECT request, at FROM receipts WHERE is_expired",
  // The table already contains the sums of pruned requests.
  `INSERT INTO usage_hours AS known (hour, ${NAMES}, requests, errors, input,
     output, cost, written_off, provider_cost, durations, duration, first_bytes, first_byte)
   SELECT at / 3600000, ${NAMES_OF_RECEIPT}, count(*),
     count(*) FILTER (WHERE failed), sum(input), sum(output), stored_amount(sum(cost)), stored_amount(sum(written_off)),
     stored_amount(sum(coalesce(provider_cost, cost + written_off))),
     count(duration) FILTER (WHERE status = 'settled'), coalesce(sum(duration) FILTER (WHERE status = 'settled'), 0),
     count(first_byte) FILTER (WHERE status = 'settled'), coalesce(sum(first_byte) FILTER (WHERE status = 'settled'), 0)
   FROM receipts GROUP BY ${PLACES}
   ON CONFLICT (hour, ${NAMES}) DO UPDATE SET
     requests = known.requests + excluded.requests, errors = known.errors + excluded.errors,
     input = known.input + excluded.input, output = known.output + excluded.output, cost = stored_amount(known.cost::numeric + excluded.cost),
     written_off = stored_amount(known.written_off::numeric + excluded.written_off),
     provider_cost = stored_amount(known.provider_cost::numeric + excluded.provider_cost), durations = known.durations + excluded.durations,
     duration = known.duration + excluded.duration, first_bytes = known.first_bytes + excluded.first_bytes,
     first_byte = known.first_byte + excluded.first_byte`,
  "SELECT label_requests(ARRAY(SELECT request FROM receipts WHERE labels IS NOT NULL))",
  `INSERT INTO key_uses AS known (key, account, last_used_at, requests, spent)
   SELECT key, max(account), max(at), count(*), stored_amount(sum(cost)) FROM receipts GROUP BY key
   ON CONFLICT (key) DO UPDATE SET last_used_at = greatest(known.last_used_at, excluded.last_used_at),
     requests = known.requests + excluded.requests, spent = stored_amount(known.spent::numeric + excluded.spent)`,
  `INSERT INTO idempotency_totals (scope, slot, keys, bytes)
   SELECT scope, 0, count(*), sum(size) FROM idempotency GROUP BY scope
   UNION ALL SELECT '', 0, 0, sum(size) FROM idempotency HAVING sum(size) > 0`,
  `INSERT INTO conversation_sizes (account, bytes)
   SELECT account, sum(bytes) FROM conversation_parts GROUP BY account`,
  // The sequence continues after the highest position that was used, or starts at 1 if the table is empty.
  `SELECT setval('ledger_position', greatest(1, (SELECT max(position) FROM entries),
     (SELECT max(position) FROM receipts), (SELECT max(position) FROM expired_receipts),
     (SELECT last_row FROM anchor), (SELECT last_row FROM pruned_rows)))`,
  "SELECT setval(pg_get_serial_sequence('notices', 'number'), greatest(1, (SELECT max(number) FROM notices)))",
  "SELECT setval('vendor_state_number', greatest(1, (SELECT max(number) FROM vendor_state)))",
]

async function writeFile(
  transaction: Statements,
  kind: FileKind,
  { name, bytes, lifetime }: CopiedFile,
): Promise<void> {
  const file = crypto.randomUUID()
  const time = BigInt(Math.ceil(lifetime))
  for (let number = 0; number * CHUNK < bytes.byteLength; number++) {
    await transaction.run(
      `INSERT INTO kept_file_chunks (file, number, expires_at, content)
       VALUES ($1, $2, tollgate_now() + $3, $4)`,
      [file, BigInt(number), time, bytes.subarray(number * CHUNK, (number + 1) * CHUNK)],
    )
  }
  await transaction.run(
    `INSERT INTO kept_files (kind, name, file, size, expires_at)
     VALUES ($1, $2, $3, $4, tollgate_now() + $5)`,
    [kind, name, file, BigInt(bytes.byteLength), time],
  )
}
