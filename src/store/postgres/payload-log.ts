import type { ContentRecord, PayloadLog } from "../payload-log.ts"
import type { PostgresClient } from "./client.ts"

/** Records that one statement deletes. */
const SLICE = 500n

type ContentRow = Omit<ContentRecord, "at"> & { readonly at: bigint }

/** Prompts and answers of accounts that have them stored. */
export class PostgresPayloadLog implements PayloadLog {
  readonly #client: PostgresClient

  constructor(client: PostgresClient) {
    this.#client = client
  }

  async keep({ request, account, at, asked, answered }: ContentRecord): Promise<void> {
    await this.#client.run(
      `INSERT INTO contents (request, account, at, asked, answered) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (request) DO UPDATE SET account = excluded.account, at = excluded.at,
         asked = excluded.asked, answered = excluded.answered`,
      [request, account, BigInt(at), asked, answered],
    )
  }

  async find(request: string): Promise<ContentRecord | null> {
    const row = await this.#client.row<ContentRow>(
      "SELECT request, account, at, asked, answered FROM contents WHERE request = $1",
      [request],
    )
    return row ? { ...row, at: Number(row.at) } : null
  }

  async sweep(before: number): Promise<void> {
    let deleted: number
    do {
      deleted = await this.#client.run(
        `DELETE FROM contents WHERE request IN (
           SELECT request FROM contents WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
        [BigInt(before), SLICE],
      )
    } while (deleted > 0)
  }
}
