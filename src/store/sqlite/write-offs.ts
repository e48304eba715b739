import type { Database, Statement } from "bun:sqlite"
import type { WriteOff, WriteOffReason, WriteOffRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashWriteOff } from "../../accounting/hash-chain.ts"

interface WriteOffRow {
  number: bigint
  at: bigint
  account: string
  key: string
  request: string
  amount: bigint
  reason: string
  previous_hash: string
  hash: string
}

const COLUMNS = "number, at, account, key, request, amount, reason, previous_hash, hash"

/** Stores the costs of requests that were not charged. Methods that write must run inside a transaction. */
export class WriteOffs {
  readonly #insert: Statement<unknown, (string | bigint)[]>
  readonly #end: Statement<Pick<WriteOffRow, "number" | "hash">, []>
  readonly #ofRequest: Statement<Pick<WriteOffRow, "amount" | "reason">, [string]>

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO write_offs (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#end = database.prepare("SELECT number, hash FROM write_offs ORDER BY number DESC LIMIT 1")
    this.#ofRequest = database.prepare(
      "SELECT amount, reason FROM write_offs WHERE request = ? ORDER BY number",
    )
  }

  append(line: Omit<WriteOffRecord, "number" | "previousHash" | "hash">): void {
    const end = this.#end.get() ?? { number: 0n, hash: GENESIS_HASH }
    const number = Number(end.number) + 1
    const previousHash = end.hash
    const hash = hashWriteOff({ ...line, number, previousHash })
    const { at, account, key, request, amount, reason } = line
    this.#insert.run(
      BigInt(number),
      BigInt(at),
      account,
      key,
      request,
      amount,
      reason,
      previousHash,
      hash,
    )
  }

  ofRequest(request: string): WriteOff[] {
    return this.#ofRequest
      .all(request)
      .map(({ amount, reason }) => ({ amount, reason: reason as WriteOffReason }))
  }
}
