import type { Value } from "./connection-pool.ts"
import { PostgresFailure } from "./failure.ts"
import { STATEMENT_RETRIES } from "../retry-policy.ts"

const POLL_INTERVAL_MS = 20

/** Names the transaction that it is a part of. */
export const NAME_TRANSACTION = "SELECT pg_current_xact_id()::text AS id"

const TIMELINE = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)"
const STATUS = `SELECT timeline, CASE WHEN timeline = $2 THEN pg_xact_status($1::text::xid8) END AS status
  FROM (SELECT ${TIMELINE} AS timeline) AS history`

/** What it asks by. */
interface Reads {
  row<Row>(text: string, values?: readonly Value[]): Promise<Row | null>
}

/**
 * Finds out whether a transaction was committed whose end was not heard of. A server remembers that by the transaction's
 * id. A standby that takes over begins another timeline, on which it may give the same ids to others.
 */
export class Commits {
  readonly #statements: Reads
  /** Null where the server does not tell, undefined before it was asked. */
  #timeline: string | null | undefined

  constructor(statements: Reads) {
    this.#statements = statements
  }

  /** The server's timeline when it was last asked, to be known before a transaction begins; null when it is not known. */
  async timeline(): Promise<string | null> {
    if (this.#timeline === undefined) this.#timeline = await this.#ask()
    return this.#timeline
  }

  /**
   * @param id of the transaction. @param timeline when it began.
   * @returns undefined when the server cannot tell.
   */
  async isCommitted(id: string, timeline: string | null): Promise<boolean | undefined> {
    // The server may still be ending a transaction whose client was cut off.
    const deadline = performance.now() + STATEMENT_RETRIES.maxWaitMs
    if (timeline === null) return undefined
    for (;;) {
      const row = await this.#statements.row<{ timeline: string; status: string | null }>(STATUS, [
        id,
        timeline,
      ])
      this.#timeline = row?.timeline
      if (row?.status === "committed") return true
      if (row?.status === "aborted") return false
      if (row?.status !== "in progress" || performance.now() > deadline) return undefined
      await Bun.sleep(POLL_INTERVAL_MS)
    }
  }

  async #ask(): Promise<string | null> {
    try {
      const row = await this.#statements.row<{ timeline: string }>(`SELECT ${TIMELINE} AS timeline`)
      return row?.timeline ?? null
    } catch (error) {
      if (error instanceof PostgresFailure && error.outcome === "refused") return null
      throw error
    }
  }
}
