import type { Database, Statement } from "bun:sqlite"
import type { Anchor } from "../../accounting/anchor.ts"
import { GENESIS_HASH } from "../../accounting/hash-chain.ts"
import { HashSum } from "../../accounting/hash-sum.ts"
import type { AnchorStep, LedgerRow } from "../integrity.ts"
import {
  type StoredAnchor,
  anchorFromRow,
  ledgerRowFromRow,
  type StoredLedgerRow,
} from "../steps/integrity-rows.ts"

/** Maximum rows that one step adds to the anchor. This takes about a millisecond. */
const ANCHOR_CHUNK = 1_000

/** A chunk of consecutive rows. */
interface ChunkRow {
  last: bigint | null
  rows: bigint
  hashed: bigint
  hashes: string | null
}

interface EndRow {
  number: bigint
  hash: string
}

/** Reads the rows of the ledger, and maintains the anchor of the ledger. */
export class LedgerAnchor {
  readonly #anchor: Statement<StoredAnchor, []>
  readonly #chunk: Statement<ChunkRow, [bigint, bigint]>
  readonly #hashes: Statement<{ hash: string | null }, [bigint, bigint]>
  readonly #advance: Statement<unknown, (string | bigint | null)[]>
  readonly #writeOffs: ChainTable
  readonly #audit: ChainTable
  readonly #rows: Statement<StoredLedgerRow, [bigint, bigint]>

  constructor(database: Database) {
    this.#anchor = database.prepare("SELECT * FROM anchor")
    this.#chunk = database.prepare(
      `SELECT max(row) AS last, count(*) AS rows, count(hash) AS hashed, group_concat(hash, '') AS hashes
        FROM (SELECT rowid AS row, hash FROM entries WHERE rowid > ? ORDER BY rowid LIMIT ?)`,
    )
    this.#hashes = database.prepare(
      "SELECT hash FROM entries WHERE rowid > ? AND rowid <= ? ORDER BY rowid",
    )
    this.#advance = database.prepare(
      `UPDATE anchor SET last_row = ?, last_hash = ?, row_count = ?, hash_sum = ?, at = ?,
        write_offs = ?, write_offs_hash = ?, audit = ?, audit_hash = ? WHERE last_row = ?`,
    )
    this.#writeOffs = new ChainTable(database, "write_offs")
    this.#audit = new ChainTable(database, "audit")
    this.#rows = database.prepare(
      `SELECT rowid AS position, number, account, key, at, coalesce(request, replaced) AS request,
        kind IS 'expired' AS is_expired, iif(number IS NULL, receipt, NULL) AS receipt, hash
        FROM entries WHERE rowid > ? ORDER BY rowid LIMIT ?`,
    )
  }

  /** Adds rows to the anchor. Only committed rows are read, so the anchor is never ahead of the ledger. */
  advance(at: number): AnchorStep {
    const before = this.#anchor.get()
    if (!before) throw new Error("the ledger has no anchor")
    const chunk = this.#chunk.get(before.last_row, BigInt(ANCHOR_CHUNK))
    const last = chunk?.last ?? null
    const writeOffs = this.#writeOffs.endAfter({
      number: before.write_offs,
      hash: before.write_offs_hash,
    })
    const audit = this.#audit.endAfter({ number: before.audit, hash: before.audit_hash })
    const isBehind = Number(chunk?.rows) === ANCHOR_CHUNK
    const isSame = writeOffs.number === before.write_offs && audit.number === before.audit
    if (!chunk || (last === null && isSame)) return { anchor: anchorFromRow(before), isBehind }
    const sum = new HashSum(before.hash_sum, Number(before.row_count))
    this.#add(sum, chunk, before.last_row)
    // If another process has advanced the anchor in the meantime, this update changes no row.
    this.#advance.run(
      last ?? before.last_row,
      last === null ? before.last_hash : (this.#hashes.get(last - 1n, last)?.hash ?? null),
      BigInt(sum.count),
      sum.text,
      BigInt(at),
      writeOffs.number,
      writeOffs.hash,
      audit.number,
      audit.hash,
      before.last_row,
    )
    return { anchor: this.find(), isBehind }
  }

  /** Adds the hashes of a chunk. If a stored value is not a hash, this is slower, and other checks report the value. */
  #add(sum: HashSum, { last, rows, hashed, hashes }: ChunkRow, after: bigint): void {
    if (last === null) return
    if (sum.addJoined(hashes ?? "", Number(hashed))) sum.count += Number(rows - hashed)
    else for (const { hash } of this.#hashes.all(after, last)) sum.add(hash)
  }

  find(): Anchor {
    const row = this.#anchor.get()
    if (!row) throw new Error("the ledger has no anchor")
    return anchorFromRow(row)
  }

  rows(after: number, limit: number): LedgerRow[] {
    return this.#rows.all(BigInt(after), BigInt(limit)).map(ledgerRowFromRow)
  }
}

/** A table whose lines form a hash chain. */
class ChainTable {
  readonly #end: Statement<EndRow, []>
  readonly #has: Statement<unknown, [bigint, string]>

  constructor(database: Database, table: "write_offs" | "audit") {
    this.#end = database.prepare(`SELECT number, hash FROM ${table} ORDER BY number DESC LIMIT 1`)
    this.#has = database.prepare(`SELECT 1 FROM ${table} WHERE number = ? AND hash = ?`)
  }

  /**
   * Returns the last line. If the line in the anchor is missing, that line is returned, so that the anchor still
   * reveals the loss.
   */
  endAfter(known: EndRow): EndRow {
    const isWhole = known.number === 0n || this.#has.get(known.number, known.hash) !== null
    return isWhole ? (this.#end.get() ?? NO_LINES) : known
  }
}

const NO_LINES: EndRow = { number: 0n, hash: GENESIS_HASH }
