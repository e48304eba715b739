import type { Database, Statement } from "bun:sqlite"
import type { HoldRecord } from "../settlements.ts"

interface HoldRow {
  request: string
  account: string
  key: string
  amount: bigint
  at: bigint
  receipt: string
}

const COLUMNS = "request, account, key, amount, at, receipt"

/** Requests that have run for a while, with what they hold. Methods that write expect to run inside a transaction. */
export class Holds {
  readonly #database: Database
  readonly #open: Statement<unknown, (string | bigint)[]>
  readonly #close: Statement<unknown, [string]>

  constructor(database: Database) {
    this.#database = database
    this.#open = database.prepare(
      "INSERT OR IGNORE INTO holds SELECT ?, id, ?, ?, ?, ?, ? FROM nodes WHERE id = ?",
    )
    this.#close = database.prepare("DELETE FROM holds WHERE request = ?")
  }

  /** Those of a node that is known. */
  open(node: string, { request, account, key, amount, at, receipt }: HoldRecord): void {
    this.#open.run(request, account, key, amount, BigInt(at), receipt, node)
  }

  close(request: string): void {
    this.#close.run(request)
  }

  /** What an account's requests hold, the oldest first, as far as the database has a record of it. */
  ofAccount(account: string): HoldRecord[] {
    return this.#database
      .query<HoldRow, [string]>(
        `SELECT ${COLUMNS} FROM holds WHERE account = ? ORDER BY at, request`,
      )
      .all(account)
      .map(holdFromRow)
  }

  /** Deletes a node's holds. @returns them. */
  takeOf(node: string): HoldRecord[] {
    const holds = this.#database
      .query<HoldRow, [string]>(`SELECT ${COLUMNS} FROM holds WHERE node = ?`)
      .all(node)
    this.#database.run("DELETE FROM holds WHERE node = ?", [node])
    return holds.map(holdFromRow)
  }
}

function holdFromRow(row: HoldRow): HoldRecord {
  return { ...row, at: Number(row.at) }
}
