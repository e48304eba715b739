import type { Database, Statement } from "bun:sqlite"
import type { EntryRecord } from "../../accounting/chained-records.ts"
import type { CodeRecord, NewCode, Redemption } from "../codes.ts"
import { StoreError } from "../store-error.ts"
import type { Accounts } from "./accounts.ts"
import type { Debts } from "./debts.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

interface CodeRow {
  id: string
  hint: string
  note: string | null
  amount: bigint
  uses: bigint
  used: bigint
  created_at: bigint
  expires_at: bigint | null
  revoked_at: bigint | null
  author: string | null
}

const COLUMNS =
  "id, hint, note, amount, uses, used, created_at, expires_at, revoked_at, author" as const

function codeFromRow(row: CodeRow): CodeRecord {
  return {
    id: row.id,
    hint: row.hint,
    note: row.note,
    amount: row.amount,
    uses: Number(row.uses),
    used: Number(row.used),
    createdAt: Number(row.created_at),
    expiresAt: row.expires_at === null ? null : Number(row.expires_at),
    revokedAt: row.revoked_at === null ? null : Number(row.revoked_at),
    author: row.author,
  }
}

/** Codes that give credits. Methods that write expect to run inside a transaction. */
export class Codes {
  readonly #database: Database
  readonly #accounts: Accounts
  readonly #find: Statement<CodeRow, [string]>

  constructor(database: Database, accounts: Accounts) {
    this.#database = database
    this.#accounts = accounts
    this.#find = database.prepare(`SELECT ${COLUMNS} FROM codes WHERE id = ?`)
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
        `SELECT ${COLUMNS} FROM codes
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
    const code = this.#usable(hash, at)
    const payee = this.#accounts.find(account)
    if (!payee) throw new StoreError("not_found", `there is no account '${account}'`)
    const earlier = this.#database
      .query("SELECT 1 FROM redemptions WHERE code = ? AND account = ?")
      .get(code.id, payee.id)
    if (earlier !== null) {
      throw new StoreError("exists", "this account has redeemed this code already")
    }
    if (code.used >= code.uses) {
      throw new StoreError("insufficient", "this code was used as often as it may be")
    }
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

  #usable(hash: string, at: number): CodeRecord {
    const row = this.#database
      .query<CodeRow, [string]>(`SELECT ${COLUMNS} FROM codes WHERE hash = ?`)
      .get(hash)
    if (!row) throw new StoreError("not_found", "there is no such code")
    const code = codeFromRow(row)
    if (code.revokedAt !== null) throw new StoreError("revoked", "this code was revoked")
    if (code.expiresAt !== null && code.expiresAt <= at) {
      throw new StoreError("expired", "this code has expired")
    }
    return code
  }

  #require(id: string): CodeRecord {
    const code = this.find(id)
    if (!code) throw new StoreError("not_found", `there is no code '${id}'`)
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
    revoke: (id, at, audit) => transactions.audited(audit, () => codes.revoke(id, at)),
    redeem: (redemption, audit) =>
      transactions.audited(audit, () => debts.received(codes.redeem(redemption))),
  }
}
