import type { PasskeyReads, PasskeyRecord, PasskeyWrites } from "../../passkeys.ts"
import type { PostgresClient } from "../client.ts"

interface PasskeyRow {
  readonly id: string
  readonly user_id: string
  readonly credential: string
  readonly public_key: string
  readonly counter: bigint
  readonly transports: string
  readonly name: string
  readonly created_at: bigint
  readonly last_used_at: bigint | null
}

const SELECT =
  "SELECT id, user_id, credential, public_key, counter, transports, name, created_at, last_used_at FROM passkeys"

/** The passkeys of users. */
export class PostgresPasskeys implements PasskeyReads, PasskeyWrites {
  readonly #client: PostgresClient

  constructor(client: PostgresClient) {
    this.#client = client
  }

  async list(user: string): Promise<PasskeyRecord[]> {
    const rows = await this.#client.rows<PasskeyRow>(
      `${SELECT} WHERE user_id = $1 ORDER BY created_at, id`,
      [user],
    )
    return rows.map(passkeyFromRow)
  }

  async findByCredential(credential: string): Promise<PasskeyRecord | null> {
    const row = await this.#client.row<PasskeyRow>(`${SELECT} WHERE credential = $1`, [credential])
    return row && passkeyFromRow(row)
  }

  create(passkey: PasskeyRecord, most: number): Promise<boolean> {
    const { id, user, credential, publicKey, counter, transports, name, createdAt } = passkey
    return this.#client.transaction(async (transaction) => {
      // One after the other: each counts those before it.
      const found = await transaction.row(
        "SELECT id FROM users WHERE id = $1 AND NOT is_disabled FOR UPDATE",
        [user],
      )
      if (found === null) return false
      const inserted = await transaction.run(
        `INSERT INTO passkeys (id, user_id, credential, public_key, counter, transports, name, created_at)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8
         WHERE (SELECT count(*) FROM passkeys WHERE user_id = $2) < $9
         ON CONFLICT DO NOTHING`,
        [
          id,
          user,
          credential,
          publicKey,
          BigInt(counter),
          JSON.stringify(transports),
          name,
          BigInt(createdAt),
          BigInt(most),
        ],
      )
      return inserted > 0
    })
  }

  async rename(user: string, id: string, name: string): Promise<boolean> {
    const changed = await this.#client.run(
      "UPDATE passkeys SET name = $3 WHERE user_id = $1 AND id = $2",
      [user, id, name],
    )
    return changed > 0
  }

  remove(user: string, id: string): Promise<boolean> {
    return this.#client.transaction(async (transaction) => {
      const removed = await transaction.run("DELETE FROM passkeys WHERE user_id = $1 AND id = $2", [
        user,
        id,
      ])
      return removed > 0
    })
  }

  async removeAll(user: string): Promise<void> {
    await this.#client.run("DELETE FROM passkeys WHERE user_id = $1", [user])
  }

  use(id: string, counter: number, at: number): Promise<boolean> {
    return this.#client.transaction(async (transaction) => {
      const used = await transaction.run(
        `UPDATE passkeys SET counter = $2, last_used_at = $3
         WHERE id = $1 AND (counter < $2 OR counter = 0 AND $2 = 0)`,
        [id, BigInt(counter), BigInt(at)],
      )
      return used > 0
    })
  }
}

function passkeyFromRow(row: PasskeyRow): PasskeyRecord {
  return {
    id: row.id,
    user: row.user_id,
    credential: row.credential,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: JSON.parse(row.transports) as string[],
    name: row.name,
    createdAt: Number(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : Number(row.last_used_at),
  }
}
