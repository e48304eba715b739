import type { Database, Statement } from "bun:sqlite"
import type { DebtLine, EntryRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashDebt } from "../../accounting/hash-chain.ts"
import type { DebtLedger } from "../payments.ts"
import type { Accounts } from "./accounts.ts"

interface DebtRow {
  account: string
  number: bigint
  amount: bigint
  debt: bigint
  at: bigint
  note: string
  entry: bigint | null
  previous_hash: string
  hash: string
}

interface PaidRow extends DebtRow {
  paid: bigint | null
}

const COLUMNS = "account, number, amount, debt, at, note, entry, previous_hash, hash"

/** The entry in `recalls` for what an account owes: nothing of it is leased, and what is returned pays. */
const INDEBTED = "(debt)"
const FOR_EVER = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * What accounts owe. While an account owes something, none of its credits are leased, so no request
 * begins; whatever comes in or comes back pays first. Methods that write expect to run inside a transaction.
 */
export class Debts {
  readonly #database: Database
  readonly #accounts: Accounts
  readonly #end: Statement<Pick<DebtRow, "number" | "debt" | "hash">, [string]>
  readonly #insert: Statement<unknown, (string | bigint | null)[]>
  readonly #recall: Statement<unknown, [string, bigint]>
  readonly #endRecall: Statement<unknown, [string]>
  readonly #indebted: Statement<{ owner: string }, []>

  constructor(database: Database, accounts: Accounts) {
    this.#database = database
    this.#accounts = accounts
    this.#end = database.prepare(
      "SELECT number, debt, hash FROM debts WHERE account = ? ORDER BY number DESC LIMIT 1",
    )
    this.#insert = database.prepare(
      `INSERT INTO debts (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#recall = database.prepare(
      `INSERT OR REPLACE INTO recalls (owner, node, at, amount) VALUES (?, '${INDEBTED}', ${FOR_EVER}, ?)`,
    )
    this.#endRecall = database.prepare(
      `DELETE FROM recalls WHERE node = '${INDEBTED}' AND owner = ?`,
    )
    this.#indebted = database.prepare(`SELECT owner FROM recalls WHERE node = '${INDEBTED}'`)
  }

  /** What an account owes. */
  of(account: string): bigint {
    return this.#end.get(account)?.debt ?? 0n
  }

  /** An account owes more, or is let off with a part of it. */
  change(account: string, amount: bigint, at: number, note: string): void {
    this.#append({ account, amount, at, note, entry: null })
  }

  /** What comes in pays first what the account owes. */
  received(entry: EntryRecord): EntryRecord {
    if (entry.amount > 0n) this.collect(entry.account, entry.at)
    return entry
  }

  /** Pays with what no one holds or has leased. */
  collect(account: string, at: number): void {
    const debt = this.of(account)
    if (debt === 0n) return
    const free = this.#accounts.freeOf(account)
    const amount = free < debt ? free : debt
    if (amount <= 0n) return
    const note = "Pays for card payments that were taken back"
    const paying = { account, kind: "debt", amount: -amount, at, note, author: null } as const
    const { number } = this.#accounts.addEntry(paying)
    this.#append({ account, amount: -amount, at, note, entry: number })
  }

  /** The same for all accounts that owe something, when a node is gone. */
  collectAll(at: number): void {
    for (const { owner } of this.#indebted.all()) this.collect(owner, at)
  }

  /** All that has to agree. */
  ledger(account: string): DebtLedger {
    const lines = this.#database
      .query<PaidRow, [string]>(
        `SELECT debts.*, entries.amount AS paid FROM debts
         LEFT JOIN entries ON entries.account = debts.account AND entries.number = debts.entry
           AND entries.kind = 'debt'
         WHERE debts.account = ? ORDER BY debts.number`,
      )
      .all(account)
      .map((row) => ({ line: lineFromRow(row), paid: row.paid }))
    return {
      lines,
      reversed: this.#sumOf(account, "reversal"),
      paid: this.#sumOf(account, "debt"),
      taken: this.#sum("SELECT sum(taken) AS sum FROM card_payments WHERE account = ?", account),
    }
  }

  #append(line: Omit<DebtLine, "number" | "debt" | "previousHash" | "hash">): void {
    const end = this.#end.get(line.account)
    const unhashed = {
      ...line,
      number: Number(end?.number ?? 0n) + 1,
      debt: (end?.debt ?? 0n) + line.amount,
      previousHash: end?.hash ?? GENESIS_HASH,
    }
    this.#insert.run(
      unhashed.account,
      BigInt(unhashed.number),
      unhashed.amount,
      unhashed.debt,
      BigInt(unhashed.at),
      unhashed.note,
      unhashed.entry === null ? null : BigInt(unhashed.entry),
      unhashed.previousHash,
      hashDebt(unhashed),
    )
    if (unhashed.debt > 0n) this.#recall.run(line.account, unhashed.debt)
    else this.#endRecall.run(line.account)
  }

  #sumOf(account: string, kind: "reversal" | "debt"): bigint {
    // In the words of the index of those that are no charges.
    const entries = `SELECT sum(amount) AS sum FROM entries
      WHERE account = ? AND kind = '${kind}' AND number IS NOT NULL AND kind <> 'charge'`
    return this.#sum(entries, account)
  }

  #sum(query: string, account: string): bigint {
    return this.#database.query<{ sum: bigint | null }, [string]>(query).get(account)?.sum ?? 0n
  }
}

function lineFromRow(row: DebtRow): DebtLine {
  return {
    account: row.account,
    number: Number(row.number),
    amount: row.amount,
    debt: row.debt,
    at: Number(row.at),
    note: row.note,
    entry: row.entry === null ? null : Number(row.entry),
    previousHash: row.previous_hash,
    hash: row.hash,
  }
}
