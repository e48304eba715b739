import type { Value } from "./connection-pool.ts"
import { PostgresFailure } from "./failure.ts"
import { STATEMENT_RETRIES } from "../retry-policy.ts"

const POLL_INTERVAL_MS = 20

/** Assigns an id to the current transaction and returns it. */
export const NAME_TRANSACTION = "SELECT pg_current_xact_id()::text AS id"

const TIMELINE = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)"
const STATUS = `SELECT timeline, CASE WHEN timeline = $2 THEN pg_xact_status($1::text::xid8) END AS status
  FROM (SELECT ${TIMELINE} AS timeline) AS history`

/** Runs read-only queries. */
interface Reads {
  row<Row>(text: string, values?: readonly Value[]): Promise<Row | null>
}

/**
 * Determines whether a transaction was committed if the response to its COMMIT was lost. The server stores the outcome
 * under the transaction's id. A standby that takes over begins a new timeline and may use the ids again.
 */
export class Commits {
  readonly #statements: Reads
  /** The timeline; null if the server does not report it, undefined before the first query. */
  #timeline: string | null | undefined

  constructor(statements: Reads) {
    this.#statements = statements
  }

  /** Returns the server's timeline as last read; null if unknown. It must be called before the transaction begins. */
  async timeline(): Promise<string | null> {
    if (this.#timeline === undefined) this.#timeline = await this.#readTimeline()
    return this.#timeline
  }

  /**
   * Whether a transaction was committed.
   * @param id the id of the transaction.
   * @param timeline the timeline when the transaction began.
   * @returns undefined if the outcome cannot be determined.
   */
  async isCommitted(id: string, timeline: string | null): Promise<boolean | undefined> {
    // The server may still be ending the transaction of a client that has disconnected.
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

  async #readTimeline(): Promise<string | null> {
    try {
      const row = await this.#statements.row<{ timeline: string }>(`SELECT ${TIMELINE} AS timeline`)
      return row?.timeline ?? null
    } catch (error) {
      if (error instanceof PostgresFailure && error.outcome === "rejected") return null
      throw error
    }
  }
}
