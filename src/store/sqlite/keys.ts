import type { Database, Statement } from "bun:sqlite"
import type { KeyRecord, KeySecretRecord, NewKey } from "../records.ts"
import { StoreError } from "../store.ts"

interface KeyRow {
  id: string
  account: string
  name: string
  models: string | null
  budget: bigint | null
  requests_per_minute: bigint | null
  tokens_per_minute: bigint | null
  created_at: bigint
  expires_at: bigint | null
  revoked_at: bigint | null
  budget_left: bigint | null
}

interface SecretRow {
  hash: string
  hint: string
  created_at: bigint
  expires_at: bigint | null
}

const SELECT_KEY =
  "SELECT keys.*, balances.posted AS budget_left FROM keys LEFT JOIN balances ON owner = keys.id"

function numberOrNull(value: bigint | null): number | null {
  return value === null ? null : Number(value)
}

function integerOrNull(value: number | null): bigint | null {
  return value === null ? null : BigInt(value)
}

/** Keys and their secrets. Methods that write expect to run inside a transaction. */
export class Keys {
  readonly #database: Database
  readonly #find: Statement<KeyRow, [string]>
  readonly #list: Statement<KeyRow, [string | null, string | null]>
  readonly #since: Statement<KeyRow, [bigint]>
  readonly #secrets: Statement<SecretRow, [string]>
  readonly #revision: Statement<{ number: bigint }, []>
  readonly #account: Statement<{ id: string }, [string]>

  constructor(database: Database) {
    this.#database = database
    this.#find = database.prepare(`${SELECT_KEY} WHERE keys.id = ?`)
    this.#list = database.prepare(
      `${SELECT_KEY} WHERE ? IS NULL OR keys.account = ? ORDER BY keys.created_at, keys.id`,
    )
    this.#since = database.prepare(`${SELECT_KEY} WHERE keys.revision > ?`)
    this.#secrets = database.prepare(
      "SELECT hash, hint, created_at, expires_at FROM key_secrets WHERE key = ? ORDER BY expires_at IS NOT NULL, created_at DESC, expires_at DESC",
    )
    this.#revision = database.prepare("SELECT number FROM revision")
    this.#account = database.prepare("SELECT id FROM accounts WHERE id = ?")
  }

  insert(key: NewKey): KeyRecord {
    if (this.#account.get(key.account) === null) {
      throw new StoreError("not_found", `there is no account '${key.account}'`)
    }
    this.#database.run("INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)", [
      key.id,
      key.account,
      key.name,
      key.models === null ? null : JSON.stringify(key.models),
      key.budget,
      integerOrNull(key.requestsPerMinute),
      integerOrNull(key.tokensPerMinute),
      BigInt(key.createdAt),
      integerOrNull(key.expiresAt),
      this.#nextRevision(),
    ])
    if (key.budget !== null) {
      this.#database.run("INSERT INTO balances (owner, posted) VALUES (?, ?)", [key.id, key.budget])
    }
    this.#insertSecret(key.id, key.secret)
    return this.#require(key.id)
  }

  rotate(id: string, secret: KeySecretRecord, graceUntil: number): KeyRecord {
    if (this.#require(id).revokedAt !== null) {
      throw new StoreError("not_found", `the key '${id}' was revoked: create a new one`)
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
    const row = this.#find.get(id)
    return row ? this.#fromRow(row) : null
  }

  list(account: string | null): KeyRecord[] {
    return this.#list.all(account, account).map((row) => this.#fromRow(row))
  }

  since(revision: number): { revision: number; keys: KeyRecord[] } {
    const rows = this.#since.all(BigInt(revision))
    return { revision: this.revision(), keys: rows.map((row) => this.#fromRow(row)) }
  }

  /** Grows with every change, so that other processes notice it. */
  revision(): number {
    return Number(this.#revision.get()?.number ?? 0n)
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
    if (!key) throw new StoreError("not_found", `there is no key '${id}'`)
    return key
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

  #fromRow(row: KeyRow): KeyRecord {
    return {
      id: row.id,
      account: row.account,
      name: row.name,
      models: row.models === null ? null : (JSON.parse(row.models) as string[]),
      budget: row.budget,
      budgetLeft: row.budget_left,
      requestsPerMinute: numberOrNull(row.requests_per_minute),
      tokensPerMinute: numberOrNull(row.tokens_per_minute),
      createdAt: Number(row.created_at),
      expiresAt: numberOrNull(row.expires_at),
      revokedAt: numberOrNull(row.revoked_at),
      secrets: this.#secrets.all(row.id).map((secret) => ({
        hash: secret.hash,
        hint: secret.hint,
        createdAt: Number(secret.created_at),
        expiresAt: numberOrNull(secret.expires_at),
      })),
    }
  }
}
