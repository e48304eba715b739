import type { Database } from "bun:sqlite"
import type { PasskeyReads, PasskeyRecord, PasskeyWrites } from "../../passkeys.ts"

interface PasskeyRow {
  id: string
  user: string
  credential: string
  public_key: string
  counter: number
  transports: string
  name: string
  created_at: number
  last_used_at: number | null
}

const SELECT =
  "SELECT id, user, credential, public_key, counter, transports, name, created_at, last_used_at FROM passkeys"

/** The passkeys of users. */
export class SqlitePasskeys implements PasskeyReads, PasskeyWrites {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async list(user: string): Promise<PasskeyRecord[]> {
    return this.#database
      .query<PasskeyRow, [string]>(`${SELECT} WHERE user = ? ORDER BY created_at, id`)
      .all(user)
      .map(passkeyFromRow)
  }

  async findByCredential(credential: string): Promise<PasskeyRecord | null> {
    const row = this.#database
      .query<PasskeyRow, [string]>(`${SELECT} WHERE credential = ?`)
      .get(credential)
    return row && passkeyFromRow(row)
  }

  async create(passkey: PasskeyRecord, most: number): Promise<boolean> {
    const { id, user, credential, publicKey, counter, transports, name, createdAt } = passkey
    return this.#changes(
      `INSERT INTO passkeys (id, user, credential, public_key, counter, transports, name, created_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
       WHERE EXISTS (SELECT 1 FROM users WHERE id = ?2 AND is_disabled = 0)
         AND (SELECT count(*) FROM passkeys WHERE user = ?2) < ?9
       ON CONFLICT DO NOTHING`,
      [id, user, credential, publicKey, counter, JSON.stringify(transports), name, createdAt, most],
    )
  }

  async rename(user: string, id: string, name: string): Promise<boolean> {
    return this.#changes("UPDATE passkeys SET name = ? WHERE user = ? AND id = ?", [name, user, id])
  }

  async remove(user: string, id: string): Promise<boolean> {
    return this.#changes("DELETE FROM passkeys WHERE user = ? AND id = ?", [user, id])
  }

  async removeAll(user: string): Promise<void> {
    this.#changes("DELETE FROM passkeys WHERE user = ?", [user])
  }

  async use(id: string, counter: number, at: number): Promise<boolean> {
    return this.#changes(
      `UPDATE passkeys SET counter = ?2, last_used_at = ?3
       WHERE id = ?1 AND (counter < ?2 OR counter = 0 AND ?2 = 0)`,
      [id, counter, at],
    )
  }

  #changes(sql: string, values: (string | number)[]): boolean {
    return this.#database.run(sql, values).changes > 0
  }
}

function passkeyFromRow(row: PasskeyRow): PasskeyRecord {
  return {
    id: row.id,
    user: row.user,
    credential: row.credential,
    publicKey: row.public_key,
    counter: row.counter,
    transports: JSON.parse(row.transports) as string[],
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}
