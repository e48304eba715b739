import type { Database, Statement } from "bun:sqlite"
import type { EntryRecord } from "../../accounting/chained-records.ts"
import { CODE_COLUMNS, codeFromRow, type CodeRow, requireUsable } from "../code-rows.ts"
import type { CodeRecord, NewCode, Redemption } from "../codes.ts"
import { refusals } from "../refusals.ts"
import type { Accounts } from "./accounts.ts"
import type { Debts } from "./debts.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

/** Codes that give credits. Methods that write expect to run inside a transaction. */
export class Codes {
  readonly #database: Database
  readonly #accounts: Accounts
  readonly #find: Statement<CodeRow, [string]>

  constructor(database: Database, accounts: Accounts) {
    this.#database = database
    this.#accounts = accounts
    this.#find = database.prepare(`SELECT ${CODE_COLUMNS} FROM codes WHERE id = ?`)
  }

  create(code: NewCode): CodeRecord {
    this.#database.run(
      "INSERT INTO codes (id, hash, hint, note, amount, uses, created_at, expires_at, author) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        code.id,
        code.hash,
        code.hint,
        code.note,
        code.amount,
        BigInt(code.uses),
        BigInt(code.createdAt),
        code.expiresAt === null ? null : BigInt(code.expiresAt),
        code.author,
      ],
    )
    return this.#require(code.id)
  }

  find(id: string): CodeRecord | null {
    const row = this.#find.get(id)
    return row ? codeFromRow(row) : null
  }

  /** The newest first, those that come after a code; null starts at the newest. */
  list(after: string | null, limit: number): CodeRecord[] {
    return this.#database
      .query<CodeRow, [string | null, bigint]>(
        `SELECT ${CODE_COLUMNS} FROM codes
         WHERE ?1 IS NULL OR (created_at, id) < (SELECT created_at, id FROM codes WHERE id = ?1)
         ORDER BY created_at DESC, id DESC LIMIT ?2`,
      )
      .all(after, BigInt(limit))
      .map(codeFromRow)
  }

  revoke(id: string, at: number): CodeRecord {
    this.#require(id)
    this.#database.run("UPDATE codes SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", [
      BigInt(at),
      id,
    ])
    return this.#require(id)
  }

  redeem({ hash, account, at, author }: Redemption): EntryRecord {
    const row = this.#database
      .query<CodeRow, [string]>(`SELECT ${CODE_COLUMNS} FROM codes WHERE hash = ?`)
      .get(hash)
    const code = requireUsable(row, at)
    const payee = this.#accounts.find(account)
    if (!payee) throw refusals.noAccount(account)
    const earlier = this.#database
      .query("SELECT 1 FROM redemptions WHERE code = ? AND account = ?")
      .get(code.id, payee.id)
    if (earlier !== null) throw refusals.codeWasRedeemed()
    if (code.used >= code.uses) throw refusals.codeIsUsedUp()
    const entry = this.#accounts.addEntry({
      account: payee.id,
      kind: "code",
      amount: code.amount,
      at,
      note: code.id,
      author,
    })
    this.#database.run("INSERT INTO redemptions VALUES (?, ?, ?)", [
      code.id,
      payee.id,
      BigInt(entry.number),
    ])
    this.#database.run("UPDATE codes SET used = used + 1 WHERE id = ?", [code.id])
    return entry
  }

  #require(id: string): CodeRecord {
    const code = this.find(id)
    if (!code) throw refusals.noCode(id)
    return code
  }
}

interface CodeParts {
  readonly transactions: Transactions
  readonly codes: Codes
  readonly debts: Debts
}

export function codeMethods({ transactions, codes, debts }: CodeParts): DirectStore["codes"] {
  return {
    find: (id) => codes.find(id),
    list: (after, limit) => codes.list(after, limit),
    create: (code, audit) => transactions.audited(audit, () => codes.create(code)),
    createAll: (all, audit) =>
      transactions.audited(audit, () => all.map((code) => codes.create(code))),
    revoke: (id, at, audit) => transactions.audited(audit, () => codes.revoke(id, at)),
    redeem: (redemption, audit) =>
      transactions.audited(audit, () => debts.received(codes.redeem(redemption))),
  }
}
