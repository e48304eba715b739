import type { Anchor } from "../../accounting/anchor.ts"
import { HashSum } from "../../accounting/hash-sum.ts"
import type { AnchorStep } from "../integrity.ts"
import { anchorFromRow, type StoredAnchor } from "../steps/integrity-rows.ts"
import type { PostgresClient, Statements } from "./client.ts"

/** The columns to read from each table that has rows of the ledger, in addition to their positions. */
interface Columns {
  readonly entries: string
  readonly receipts: string
  readonly expired: string
}

/**
 * Selects all rows of the ledger in the order of their positions, after $1 and up to $2, at most $3 rows. Each table is
 * read through its index, up to the end of the page.
 */
export function selectLedgerRows({ entries, receipts, expired }: Columns): string {
  const page = "position > $1 AND position <= $2 ORDER BY position LIMIT $3"
  return `(SELECT position, ${entries} FROM entries WHERE ${page})
    UNION ALL (SELECT position, ${receipts} FROM receipts WHERE entry IS NULL AND ${page})
    UNION ALL (SELECT position, ${expired} FROM expired_receipts WHERE ${page})
    ORDER BY position LIMIT $3`
}

/** Maximum rows that one step adds to the anchor. */
const CHUNK = 1_000n

interface AnchorRow extends StoredAnchor {
  readonly next_row: bigint
  readonly next_transaction: bigint
}

/**
 * The position up to which all rows are visible. A transaction gets its number before its rows get their positions, and
 * its rows become visible when it ends. All rows up to a position are therefore visible once every transaction that was
 * running when the position was drawn has ended.
 */
interface Horizon {
  /** The last position that was drawn. */
  readonly row: bigint
  /** The oldest running transaction. */
  readonly oldest: bigint
  /** A transaction number that was assigned after the position was drawn. */
  readonly next: bigint
}

type EndRow = Pick<AnchorRow, "write_offs" | "write_offs_hash" | "audit" | "audit_hash">

const COLUMNS =
  "last_row, last_hash, row_count, hash_sum, at, write_offs, write_offs_hash, audit, audit_hash, next_row, next_transaction"
const ROWS = selectLedgerRows({ entries: "hash", receipts: "hash", expired: "hash" })

/** Returns the anchor, which is the extent of the ledger when the anchor was last advanced. */
export async function findAnchor(statements: Statements): Promise<Anchor> {
  return anchorFromRow(await readAnchor(statements, ""))
}

/** Advances the anchor. It only covers rows before which no running transaction can still insert rows. */
export async function advanceAnchor(client: PostgresClient, at: number): Promise<AnchorStep> {
  // Read before the transaction below begins, because that transaction would count as running.
  const horizon = await readHorizon(client)
  return client.transaction(async (transaction) => {
    const before = await readAnchor(transaction, "FOR UPDATE")
    const until = stableRow(before, horizon)
    const isWaiting = until === null
    const rows = await transaction.rows<{ position: bigint; hash: string }>(ROWS, [
      before.last_row,
      until ?? before.last_row,
      CHUNK,
    ])
    const ends = await readEnds(transaction, before)
    const isBehind = BigInt(rows.length) === CHUNK
    const sum = new HashSum(before.hash_sum, Number(before.row_count))
    for (const { hash } of rows) sum.add(hash)
    const last = rows.at(-1)
    const isSame = ends.write_offs === before.write_offs && ends.audit === before.audit
    const after = {
      ...before,
      ...ends,
      last_row: last?.position ?? before.last_row,
      last_hash: last?.hash ?? before.last_hash,
      row_count: BigInt(sum.count),
      hash_sum: sum.text,
      at: last === undefined && isSame ? before.at : BigInt(at),
      // A pending horizon is kept until it has been reached and all rows up to it have been added.
      ...(isWaiting || isBehind ? {} : { next_row: horizon.row, next_transaction: horizon.next }),
    }
    await writeAnchor(transaction, after)
    return { anchor: anchorFromRow(after), isBehind }
  })
}

/** Returns the position up to which all rows are visible; null until the pending horizon has been reached. */
function stableRow(anchor: AnchorRow, { row, oldest, next }: Horizon): bigint | null {
  if (oldest > next) return row
  // A restored database server has smaller transaction numbers. All rows that can be read in it are committed.
  const isOver = oldest > anchor.next_transaction || next < anchor.next_transaction
  return isOver ? anchor.next_row : null
}

async function readHorizon(client: PostgresClient): Promise<Horizon> {
  // The order of these queries matters: every transaction that drew this position or a smaller one has a smaller number
  // than `next`.
  const position = await client.row<{ row: bigint }>(
    "SELECT last_value AS row FROM ledger_position",
  )
  // The end of a snapshot would be wrong here, because it follows the last transaction that has ended, and later
  // transactions may be running.
  const own = await client.row<{ next: bigint }>(
    "SELECT pg_current_xact_id()::text::bigint AS next",
  )
  const snapshot = await client.row<{ oldest: bigint }>(
    "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest",
  )
  if (!position || !own || !snapshot) throw new Error("the database has no positions")
  return { ...position, ...own, ...snapshot }
}

async function readAnchor(statements: Statements, lock: "" | "FOR UPDATE"): Promise<AnchorRow> {
  const row = await statements.row<AnchorRow>(`SELECT ${COLUMNS} FROM anchor ${lock}`)
  if (!row) throw new Error("the ledger has no anchor")
  return row
}

/**
 * Returns the last line of each chain. If the line in the anchor is missing, that line is returned, so that the anchor
 * still reveals the loss.
 */
async function readEnds(statements: Statements, known: AnchorRow): Promise<EndRow> {
  const whole = await statements.row<{ write_offs: boolean; audit: boolean }>(
    `SELECT $1 = 0 OR EXISTS (SELECT FROM write_offs WHERE number = $1 AND hash = $2) AS write_offs,
       $3 = 0 OR EXISTS (SELECT FROM audit WHERE number = $3 AND hash = $4) AS audit`,
    [known.write_offs, known.write_offs_hash, known.audit, known.audit_hash],
  )
  const row = await statements.row<EndRow>(
    `SELECT write_offs.number AS write_offs, write_offs.hash AS write_offs_hash,
       audit.number AS audit, audit.hash AS audit_hash
     FROM chain_ends AS write_offs, chain_ends AS audit
     WHERE write_offs.name = 'write_offs' AND audit.name = 'audit'`,
  )
  if (!row || !whole) throw new Error("the database has no ends of its chains")
  const writeOffs = whole.write_offs ? row : known
  const audit = whole.audit ? row : known
  return {
    write_offs: writeOffs.write_offs,
    write_offs_hash: writeOffs.write_offs_hash,
    audit: audit.audit,
    audit_hash: audit.audit_hash,
  }
}

async function writeAnchor(transaction: Statements, anchor: AnchorRow): Promise<void> {
  await transaction.run(
    `UPDATE anchor SET last_row = $1, last_hash = $2, row_count = $3, hash_sum = $4, at = $5,
       write_offs = $6, write_offs_hash = $7, audit = $8, audit_hash = $9, next_row = $10,
       next_transaction = $11`,
    [
      anchor.last_row,
      anchor.last_hash,
      anchor.row_count,
      anchor.hash_sum,
      anchor.at,
      anchor.write_offs,
      anchor.write_offs_hash,
      anchor.audit,
      anchor.audit_hash,
      anchor.next_row,
      anchor.next_transaction,
    ],
  )
}
