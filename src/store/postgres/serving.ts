import type { LedgerError } from "../ledger-error.ts"
import type { DatabaseWatch, ServingDatabase } from "../serving-database.ts"
import type { StoreReader, Store } from "../store.ts"
import type { PostgresClient } from "./client.ts"
import type { PoolOptions } from "./connection-pool.ts"
import { Announcements } from "./announcements.ts"
import { explained, explainedError, explaining, unavailable } from "./explain-failure.ts"
import { PostgresConversations } from "./conversations.ts"
import { PostgresFiles } from "./kept-files.ts"
import { ensurePartitions } from "./partitions.ts"
import { statementSteps } from "../steps/entries.ts"
import { failureLogSteps } from "../steps/failure-log.ts"
import { payloadLogSteps } from "../steps/payload-log.ts"
import type { StatementReads } from "../entries.ts"
import type { FailureLog } from "../failure-log.ts"
import type { PayloadLog } from "../payload-log.ts"
import { clientMethods } from "./run-steps.ts"
import { PostgresReports } from "./reports.ts"
import { postgresStore } from "./postgres-store.ts"
import { postgresConsoleStore } from "./console-store.ts"

/** Interval of polls. It is longer than with SQLite, because each poll is a round trip to the server. */
const POLL_INTERVAL_MS = 1_000

export interface ServingParts {
  /** The client for settlements. */
  readonly client: PostgresClient
  /** The client for content that callers store or read, for sessions, and for announcements. */
  readonly keeping: PostgresClient
  /** The client for reports and lists, which may take seconds. */
  readonly reading: PostgresClient
  readonly place: string
  /** Options for another pool of connections to the same database. */
  readonly options: PoolOptions
  readonly openReader: () => Promise<StoreReader>
  /** Lifetime of leases after a heartbeat, in milliseconds. */
  readonly leaseTerm: number
}

/** Opens everything that a serving node uses. */
export function openToServe(parts: ServingParts): ServingDatabase {
  const { client, keeping, reading, place, options, openReader, leaseTerm } = parts
  const announcements = new Announcements(keeping)
  const logs = clientMethods<{
    readonly payloads: PayloadLog
    readonly failures: FailureLog
    readonly statementLines: StatementReads
  }>(
    { payloads: payloadLogSteps, failures: failureLogSteps, statementLines: statementSteps },
    reading,
  )
  const reports = new PostgresReports(reading, { options, place })
  return {
    store: announcements.over(explained(postgresStore(client), place), false),
    reports,
    payloads: explaining(logs.payloads, place),
    failures: explaining(logs.failures, place),
    statementLines: explaining(logs.statementLines, place),
    conversations: explaining(new PostgresConversations(keeping), place),
    files: (kind) => explaining(new PostgresFiles(keeping, kind), place),
    openConsoleStore: async () => postgresConsoleStore(keeping, place),
    async prepare(now) {
      try {
        await ensurePartitions(keeping, now)
      } catch (error) {
        throw explainedError(error, place)
      }
    },
    listen: (onNews) => announcements.listen(onNews),
    pollIntervalMs: POLL_INTERVAL_MS,
    leaseTerm,
    // With PostgreSQL, nothing changes when other processes join.
    becomeShared: async () => {},
    openReader,
    endBy(moment) {
      client.endBy(moment)
      keeping.endBy(moment)
      reading.endBy(moment)
    },
    watch: (onChange: (fault: LedgerError | undefined) => void): DatabaseWatch =>
      new PostgresWatch(client, place, onChange),
    async [Symbol.asyncDispose]() {
      await reports[Symbol.asyncDispose]()
      await reading[Symbol.asyncDispose]()
      if (keeping !== client) await keeping[Symbol.asyncDispose]()
      await client[Symbol.asyncDispose]()
    },
  }
}

/**
 * Reports whether the database is available, as detected by the client. A node polls every second, so that an outage
 * and its end are detected even without requests. Running calls continue, and their charges wait for the database.
 */
class PostgresWatch implements DatabaseWatch {
  #fault: LedgerError | undefined

  /**
   * @param onChange called with the fault when the database becomes unavailable, and with undefined when it is
   * available again.
   */
  constructor(
    client: PostgresClient,
    place: string,
    onChange: (fault: LedgerError | undefined) => void,
  ) {
    client.onAvailability = (failure) => {
      this.#fault = failure && unavailable(failure, place)
      onChange(this.#fault)
    }
  }

  get fault(): LedgerError | undefined {
    return this.#fault
  }

  /** Nothing to do, because polls detect outages. */
  check(): void {}

  over(store: Store): Store {
    return store
  }
}
