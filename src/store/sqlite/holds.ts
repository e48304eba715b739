import type { Database, Statement } from "bun:sqlite"
import type { HoldRecord } from "../settlements.ts"

/** Stores holds of requests that have run for a while. Methods that write must run inside a transaction. */
export class Holds {
  readonly #open: Statement<unknown, (string | bigint)[]>
  readonly #close: Statement<unknown, [string]>

  constructor(database: Database) {
    this.#open = database.prepare(
      "INSERT OR IGNORE INTO holds SELECT ?, id, ?, ?, ?, ?, ? FROM nodes WHERE id = ?",
    )
    this.#close = database.prepare("DELETE FROM holds WHERE request = ?")
  }

  /** Writes a hold, if its node exists. */
  open(node: string, { request, account, key, amount, at, receipt }: HoldRecord): void {
    this.#open.run(request, account, key, amount, BigInt(at), receipt, node)
  }

  close(request: string): void {
    this.#close.run(request)
  }
}
