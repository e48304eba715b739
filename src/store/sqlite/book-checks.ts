import type { Database, Statement } from "bun:sqlite"
import { type Anchor } from "../../accounting/anchor.ts"
import { GENESIS_HASH } from "../../accounting/hash-chain.ts"
import { HashSum } from "../../accounting/hash-sum.ts"
import type { AnchorStep, BalanceFault, BookRow } from "../integrity.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Postings } from "./postings.ts"
import type { Transactions } from "./transactions.ts"

/** How many rows an anchor takes in at once: a millisecond. */
const ANCHOR_CHUNK = 1_000

interface AnchorRow {
  last_row: bigint
  last_hash: string | null
  row_count: bigint
  hash_sum: string
  at: bigint
  write_offs: bigint
  write_offs_hash: string
  audit: bigint
  audit_hash: string
}

/** Rows that follow each other. */
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

interface RowRow {
  row: bigint
  number: bigint | null
  account: string
  key: string | null
  at: bigint
  request: string | null
  kind: string | null
  receipt: string | null
  hash: string | null
}

/** What is to hold of balances at any moment, as SQL that finds those of which it does not. */
const BALANCE_CHECKS: Readonly<Record<BalanceFault["fault"], string>> = {
  missing: `
    SELECT id AS owner, 0 AS found, 0 AS expected FROM accounts
      WHERE id NOT IN (SELECT owner FROM balances)
    UNION ALL SELECT id, 0, budget FROM keys
      WHERE budget IS NOT NULL AND id NOT IN (SELECT owner FROM balances)
    UNION ALL SELECT DISTINCT owner, 0, amount FROM leases
      WHERE amount > 0 AND owner NOT IN (SELECT owner FROM balances)`,
  leased: `
    SELECT owner, leased AS found, coalesce(sum(amount), 0) AS expected
    FROM balances LEFT JOIN leases USING (owner) GROUP BY owner HAVING found <> expected`,
  // What its limit leaves, and at most what nodes have still to give back of a larger one. A budget of a
  // period may have less: a clock that was wrong when its limit grew has left it as it was.
  limit: `
    SELECT budgets.owner, posted AS found, max(0, spendable - spent) + coalesce(amount, 0) AS expected
    FROM (
      SELECT owner, posted, allotted - posted AS spent, CASE owner
        WHEN id THEN budget WHEN id || '@' || ?1 THEN daily_budget ELSE monthly_budget
      END AS spendable
      FROM keys JOIN balances ON owner IN (id, id || '@' || ?1, id || '@' || ?2)
    ) AS budgets
    LEFT JOIN recalls ON recalls.owner = budgets.owner AND node = '(budget)'
    WHERE spendable IS NOT NULL AND iif(amount IS NULL AND instr(budgets.owner, '@') = 0, found <> expected, found > expected)`,
}

const BALANCE_FAULTS = ["missing", "leased", "limit"] as const

const DAY_LENGTH = "2026-11-21".length
const MONTH_LENGTH = "2026-11".length

/** What is read to see whether the book is right, and how far it is. */
export class BookChecks {
  readonly #database: Database
  readonly #anchor: Statement<AnchorRow, []>
  readonly #chunk: Statement<ChunkRow, [bigint, bigint]>
  readonly #hashes: Statement<{ hash: string | null }, [bigint, bigint]>
  readonly #advance: Statement<unknown, (string | bigint | null)[]>
  readonly #writeOffsEnd: Statement<EndRow, []>
  readonly #auditEnd: Statement<EndRow, []>
  readonly #rows: Statement<RowRow, [bigint, bigint]>

  constructor(database: Database) {
    this.#database = database
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
    this.#writeOffsEnd = database.prepare(endOf("write_offs"))
    this.#auditEnd = database.prepare(endOf("audit"))
    this.#rows = database.prepare(
      "SELECT rowid AS row, number, account, key, at, coalesce(request, replaced) AS request, kind, iif(number IS NULL, receipt, NULL) AS receipt, hash FROM entries WHERE rowid > ? ORDER BY rowid LIMIT ?",
    )
  }

  /** Takes more rows into the anchor. Only committed ones are read, so it is never ahead. */
  advanceAnchor(at: number): AnchorStep {
    const before = this.#anchor.get()
    if (!before) throw new Error("the book has no anchor")
    const chunk = this.#chunk.get(before.last_row, BigInt(ANCHOR_CHUNK))
    const last = chunk?.last ?? null
    const writeOffs = this.#writeOffsEnd.get() ?? NO_LINES
    const audit = this.#auditEnd.get() ?? NO_LINES
    const isBehind = Number(chunk?.rows) === ANCHOR_CHUNK
    const isSame = writeOffs.number === before.write_offs && audit.number === before.audit
    if (!chunk || (last === null && isSame)) return { anchor: anchorOf(before), isBehind }
    const sum = new HashSum(before.hash_sum, Number(before.row_count))
    this.#add(sum, chunk, before.last_row)
    // Another process may have been quicker: then its work stands.
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
    return { anchor: this.anchor(), isBehind }
  }

  /** Whoever has put something there that is no hash makes it slower, and is found by others. */
  #add(sum: HashSum, { last, rows, hashed, hashes }: ChunkRow, after: bigint): void {
    if (last === null) return
    if (sum.addJoined(hashes ?? "", Number(hashed))) sum.count += Number(rows - hashed)
    else for (const { hash } of this.#hashes.all(after, last)) sum.add(hash)
  }

  anchor(): Anchor {
    const row = this.#anchor.get()
    if (!row) throw new Error("the book has no anchor")
    return anchorOf(row)
  }

  rows(after: number, limit: number): BookRow[] {
    return this.#rows.all(BigInt(after), BigInt(limit)).map((row) => ({
      position: Number(row.row),
      number: row.number === null ? null : Number(row.number),
      account: row.account,
      key: row.key,
      at: Number(row.at),
      request: row.request,
      isExpired: row.kind === "expired",
      receipt: row.receipt,
      hash: row.hash,
    }))
  }

  balanceFaults(now: number): BalanceFault[] {
    const moment = new Date(now).toISOString()
    const periods = [moment.slice(0, DAY_LENGTH), moment.slice(0, MONTH_LENGTH)]
    return BALANCE_FAULTS.flatMap((fault) =>
      this.#database
        .query<{ owner: string; found: bigint; expected: bigint }, string[]>(BALANCE_CHECKS[fault])
        .all(...(fault === "limit" ? periods : []))
        .map((row) => ({ fault, ...row })),
    )
  }
}

const NO_LINES: EndRow = { number: 0n, hash: GENESIS_HASH }

function anchorOf(row: AnchorRow): Anchor {
  return {
    lastRow: Number(row.last_row),
    lastHash: row.last_hash,
    rowCount: Number(row.row_count),
    hashSum: row.hash_sum,
    at: Number(row.at),
    writeOffs: { number: Number(row.write_offs), hash: row.write_offs_hash },
    audit: { number: Number(row.audit), hash: row.audit_hash },
  }
}

/** The last line of a chain. */
function endOf(table: "write_offs" | "audit"): string {
  return `SELECT number, hash FROM ${table} ORDER BY number DESC LIMIT 1`
}

interface IntegrityParts {
  readonly transactions: Transactions
  readonly checks: BookChecks
  readonly postings: Postings
}

export function integrityMethods(parts: IntegrityParts): DirectStore["integrity"] {
  const { transactions, checks, postings } = parts
  return {
    findAnchor: () => transactions.consistently(() => checks.anchor()),
    listRows: (after, limit) => checks.rows(after, limit),
    listBalanceFaults: (now) => transactions.consistently(() => checks.balanceFaults(now)),
    advanceAnchor(at) {
      transactions.atomically(() => postings.writeAnchor())
      return checks.advanceAnchor(at)
    },
  }
}
