import type { Database, Statement } from "bun:sqlite"
import { integerOrNull, jsonOrNull, type StoredSecret } from "../key-fields.ts"
import type { AccountLimits } from "../accounts.ts"
import type { KeyChange, KeyFilter, KeyRecord, KeySecretRecord, NewKey } from "../keys.ts"
import { refusals } from "../refusals.ts"
import type { TimePosition } from "../time-position.ts"
import type { Budgets } from "./budgets.ts"
import type { DirectStore } from "./direct-store.ts"
import { currentPeriods, keyFromRow, type KeyRow, SELECT_KEY } from "./key-rows.ts"
import type { Transactions } from "./transactions.ts"

/** Keys and their secrets. Methods that write expect to run inside a transaction. */
export class Keys {
  readonly #database: Database
  readonly #budgets: Budgets
  readonly #find: Statement<KeyRow, [string, string, string]>
  readonly #list: Statement<KeyRow, (string | bigint | null)[]>
  readonly #since: Statement<KeyRow, [string, string, bigint]>
  readonly #secrets: Statement<StoredSecret, [string]>
  readonly #revision: Statement<{ number: bigint }, []>
  readonly #account: Statement<{ limits: string; keys: bigint }, [string]>

  constructor(database: Database, budgets: Budgets) {
    this.#database = database
    this.#budgets = budgets
    this.#find = database.prepare(`${SELECT_KEY} WHERE keys.id = ?3`)
    this.#list = database.prepare(
      `${SELECT_KEY} WHERE keys.id IN (
         SELECT id FROM keys
         WHERE (?3 IS NULL OR account IN (SELECT value FROM json_each(?3)))
           AND (?4 IS NULL OR ?4 = CASE WHEN revoked_at IS NOT NULL THEN 'revoked'
             WHEN expires_at <= ?5 THEN 'expired' ELSE 'active' END)
           AND (created_at, id) < (?6, ?7)
         ORDER BY created_at DESC, id DESC LIMIT ?8)
       ORDER BY keys.created_at DESC, keys.id DESC`,
    )
    this.#since = database.prepare(`${SELECT_KEY} WHERE keys.revision > ?3`)
    this.#secrets = database.prepare(
      "SELECT hash, hint, created_at, expires_at FROM key_secrets WHERE key = ? ORDER BY expires_at IS NOT NULL, created_at DESC, expires_at DESC",
    )
    this.#revision = database.prepare("SELECT number FROM revision")
    this.#account = database.prepare(
      `SELECT limits, (SELECT count(*) FROM keys WHERE account = accounts.id AND revoked_at IS NULL) AS keys
       FROM accounts WHERE id = ?`,
    )
  }

  insert(key: NewKey): KeyRecord {
    const account = this.#account.get(key.account)
    if (account === null) throw refusals.noAccount(key.account)
    const { keys: most } = JSON.parse(account.limits) as AccountLimits
    if (most !== undefined && Number(account.keys) >= most) throw refusals.tooManyKeys(most)
    this.#database.run(
      "INSERT INTO keys (id, account, name, models, aliases, budget, daily_budget, monthly_budget, requests_per_minute, tokens_per_minute, concurrent_requests, created_at, created_by, expires_at, origins, read_only, addresses, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        key.id,
        key.account,
        key.name,
        jsonOrNull(key.models),
        jsonOrNull(key.aliases),
        key.budget,
        key.dailyBudget,
        key.monthlyBudget,
        integerOrNull(key.requestsPerMinute),
        integerOrNull(key.tokensPerMinute),
        integerOrNull(key.concurrentRequests),
        BigInt(key.createdAt),
        key.createdBy,
        integerOrNull(key.expiresAt),
        jsonOrNull(key.origins),
        key.isReadOnly ? 1n : 0n,
        jsonOrNull(key.addresses),
        this.#nextRevision(),
      ],
    )
    if (key.budget !== null) this.#budgets.begin(key.id, key.budget)
    this.#insertSecret(key.id, key.secret)
    return this.#require(key.id)
  }

  /** @param at in whose periods the budgets are changed. */
  update(id: string, change: KeyChange, at: number): KeyRecord {
    const key = { ...this.#require(id), ...change }
    if (key.revokedAt !== null) {
      throw refusals.keyIsRevoked(id, "revoked")
    }
    this.#database.run(
      "UPDATE keys SET name = ?, models = ?, aliases = ?, budget = ?, daily_budget = ?, monthly_budget = ?, requests_per_minute = ?, tokens_per_minute = ?, concurrent_requests = ?, expires_at = ?, origins = ?, paused_at = ?, read_only = ?, addresses = ? WHERE id = ?",
      [
        key.name,
        jsonOrNull(key.models),
        jsonOrNull(key.aliases),
        key.budget,
        key.dailyBudget,
        key.monthlyBudget,
        integerOrNull(key.requestsPerMinute),
        integerOrNull(key.tokensPerMinute),
        integerOrNull(key.concurrentRequests),
        integerOrNull(key.expiresAt),
        jsonOrNull(key.origins),
        integerOrNull(key.pausedAt),
        key.isReadOnly ? 1n : 0n,
        jsonOrNull(key.addresses),
        id,
      ],
    )
    this.#budgets.adjust(id, key, at)
    return this.#touched(id)
  }

  rotate(id: string, secret: KeySecretRecord, graceUntil: number): KeyRecord {
    if (this.#require(id).revokedAt !== null) {
      throw refusals.keyIsRevoked(id, "not_found")
    }
    this.#database.run(
      "UPDATE key_secrets SET expires_at = min(coalesce(expires_at, ?1), ?1) WHERE key = ?2",
      [BigInt(graceUntil), id],
    )
    this.#insertSecret(id, secret)
    return this.#touched(id)
  }

  revoke(id: string, at: number): KeyRecord {
    this.#require(id)
    this.#database.run("UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", [
      BigInt(at),
      id,
    ])
    return this.#touched(id)
  }

  find(id: string): KeyRecord | null {
    const row = this.#find.get(...currentPeriods(), id)
    return row ? this.#read(row) : null
  }

  /** The newest first. What is known of a key is looked up for those of the page alone. */
  list(filter: KeyFilter, after: TimePosition | null, limit: number): KeyRecord[] {
    const { accounts, status, now } = filter
    const rows = this.#list.all(
      ...currentPeriods(),
      accounts ? JSON.stringify(accounts) : null,
      status ?? null,
      BigInt(now),
      BigInt(after?.at ?? Number.MAX_SAFE_INTEGER),
      after?.id ?? "",
      BigInt(limit),
    )
    return rows.map((row) => this.#read(row))
  }

  since(revision: number): { revision: number; keys: KeyRecord[] } {
    const rows = this.#since.all(...currentPeriods(), BigInt(revision))
    return { revision: this.revision(), keys: rows.map((row) => this.#read(row)) }
  }

  /** Grows with every change, so that other processes notice it. */
  revision(): number {
    return Number(this.#revision.get()?.number ?? 0n)
  }

  /** Every process reads an account's keys again. */
  touchAll(account: string): void {
    this.#database.run("UPDATE keys SET revision = ? WHERE account = ?", [
      this.#nextRevision(),
      account,
    ])
  }

  #nextRevision(): bigint {
    this.#database.run("UPDATE revision SET number = number + 1")
    return BigInt(this.revision())
  }

  #touched(id: string): KeyRecord {
    this.#database.run("UPDATE keys SET revision = ? WHERE id = ?", [this.#nextRevision(), id])
    return this.#require(id)
  }

  #require(id: string): KeyRecord {
    const key = this.find(id)
    if (!key) throw refusals.noKey(id)
    return key
  }

  #read(row: KeyRow): KeyRecord {
    return keyFromRow(row, this.#secrets.all(row.id))
  }

  #insertSecret(id: string, secret: KeySecretRecord): void {
    this.#database.run("INSERT INTO key_secrets VALUES (?, ?, ?, ?, ?)", [
      secret.hash,
      id,
      secret.hint,
      BigInt(secret.createdAt),
      integerOrNull(secret.expiresAt),
    ])
  }
}

interface KeyParts {
  readonly transactions: Transactions
  readonly keys: Keys
  readonly budgets: Budgets
}

export function keyMethods({ transactions, keys, budgets }: KeyParts): DirectStore["keys"] {
  return {
    find: (id) => transactions.consistently(() => keys.find(id)),
    list: (filter, after, limit) =>
      transactions.consistently(() => keys.list(filter, after, limit)),
    listChanged: (revision) => transactions.consistently(() => keys.since(revision)),
    listBudgets: (after, limit) => budgets.list(after, limit),
    listLabelBudgets: (query) => budgets.listLabels(query),
    forgetLabelBudgets: (at) => transactions.atomically(() => budgets.forgetLabels(at)),
    insert: (key, audit) => transactions.audited(audit, () => keys.insert(key)),
    update: (id, change, audit) =>
      transactions.audited(audit, () => keys.update(id, change, Date.now())),
    rotate: (id, secret, graceUntil, audit) =>
      transactions.audited(audit, () => keys.rotate(id, secret, graceUntil)),
    revoke: (id, at, audit) => transactions.audited(audit, () => keys.revoke(id, at)),
  }
}
