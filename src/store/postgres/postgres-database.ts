import { databasePlace } from "../../database-address.ts"
import type { InstallationSecrets } from "../../secrets/installation-secrets.ts"
import type { ConsoleStore } from "../console-store.ts"
import { copyAll, type CopyCheck, type CopyCounts, type CopySource } from "../copy/copy.ts"
import type { Database } from "../database.ts"
import type { DatabaseStatus } from "../database-status.ts"
import type { FailedRequest, FailureFilter } from "../failure-log.ts"
import { LedgerError } from "../ledger-error.ts"
import type { ServingDatabase } from "../serving-database.ts"
import type { Snapshot } from "../database.ts"
import type { Store, StoreReader } from "../store.ts"
import { Announcements } from "./announcements.ts"
import { PostgresClient, type Transaction } from "./client.ts"
import type { PoolOptions } from "./connection-pool.ts"
import { copySource } from "./copy-source.ts"
import { completeCopy, copyTarget } from "./copy-target.ts"
import { databaseStatus } from "./database-status.ts"
import { explained, explainedError } from "./explain-failure.ts"
import { failureLogSteps } from "../steps/failure-log.ts"
import { runStep } from "./run-steps.ts"
import { beginCopy, endCopy, readSecrets } from "./installation-secrets.ts"
import { migrate, requireUsable, schemaState } from "./migrate.ts"
import { ensurePartitions } from "./partitions.ts"
import { postgresStore } from "./postgres-store.ts"
import { openToServe } from "./serving.ts"
import { SCHEMA } from "./schema/steps.ts"
import { postgresConsoleStore } from "./console-store.ts"

/** The address of a PostgreSQL database. */
export interface PostgresAddress {
  /**
   * An address such as `postgres://user:password@host:5432/name`. If it has several hosts, separated by commas, the
   * primary is used.
   */
  readonly url: string
  /** Maximum open connections. */
  readonly connections: number
  /** Whether statements are prepared; true if absent. */
  readonly preparedStatements?: boolean | undefined
  /** Lifetime of leases after a node's heartbeat, in milliseconds. */
  readonly leaseTerm?: number | undefined
  /** The secret from which the installation's secrets are derived; if absent, a secret in the database is used. */
  readonly secret?: string | undefined
}

/** Timeout for opening a connection. */
const CONNECT_TIMEOUT_MS = 5_000
/** The default lease term, which is three heartbeats. */
const DEFAULT_LEASE_TERM_MS = 15_000
/** Maximum connections of a command. Commands run few statements at once. */
const COMMAND_CONNECTIONS = 2
const PROBED_CONNECTIONS = 4

/** A database on a PostgreSQL server, which nodes on many machines may share. */
export class PostgresDatabase implements Database {
  readonly place: string
  readonly #address: PostgresAddress

  constructor(address: PostgresAddress) {
    this.#address = address
    this.place = databasePlace(address.url)
  }

  async exists(): Promise<boolean> {
    return this.#using(async (client) => (await schemaState(client)).version > 0)
  }

  async status(): Promise<DatabaseStatus> {
    // Uses several connections, because a pooler mixes up prepared statements only across connections.
    await using client = this.#client(PROBED_CONNECTIONS)
    try {
      return await databaseStatus(client, this.place, this.#address.preparedStatements !== false)
    } catch (error) {
      throw explainedError(error, this.place)
    }
  }

  /** The server manages its log itself. */
  async hasLog(): Promise<boolean> {
    return false
  }

  async setRemainsAside(): Promise<void> {
    if (await this.exists()) {
      throw new LedgerError("exists", `there is already a ledger: ${this.place}`)
    }
  }

  async create(): Promise<void> {
    await this.#using(async (client) => {
      await migrate(client, SCHEMA)
    })
  }

  async openStore(): Promise<Store> {
    const client = await this.#opened(COMMAND_CONNECTIONS)
    // Awaited, because a command may exit before its announcement is sent.
    const announcements = new Announcements(client)
    return announcements.over(explained(postgresStore(client), this.place), true)
  }

  async openReader(): Promise<StoreReader> {
    const client = this.#client(COMMAND_CONNECTIONS)
    try {
      const state = await schemaState(client)
      if (state.version === 0) {
        throw new LedgerError("not_found", `there is no ledger at ${this.place}`)
      }
      requireUsable(state, SCHEMA)
    } catch (error) {
      await client[Symbol.asyncDispose]()
      throw explainedError(error, this.place)
    }
    return explained(postgresStore(client), this.place)
  }

  async readSnapshot<T>(step: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    // Checks that the database exists and has a supported version.
    await (await this.openReader())[Symbol.asyncDispose]()
    return this.#using((client) =>
      client.inSnapshot((moment) =>
        step({
          store: postgresStore(moment),
          users: postgresConsoleStore(moment, this.place).users,
        }),
      ),
    )
  }

  async failedRequests(filter: FailureFilter, limit: number): Promise<FailedRequest[]> {
    return this.#using((client) => runStep(client, failureLogSteps.list.step(filter, null, limit)))
  }

  async openToServe(): Promise<ServingDatabase> {
    const { settling, keeping, reading } = shares(this.#address.connections)
    const client = await this.#opened(settling)
    if (this.#address.preparedStatements !== false) await client.probe(this.place)
    return openToServe({
      client,
      keeping: keeping > 0 ? this.#client(keeping) : client,
      reading: this.#client(reading),
      place: this.place,
      // One connection is enough, because only one report runs at a time.
      options: this.#options(1),
      openReader: () => this.openReader(),
      leaseTerm: this.#address.leaseTerm ?? DEFAULT_LEASE_TERM_MS,
    })
  }

  async openConsoleStore(): Promise<ConsoleStore> {
    const client = await this.#opened(COMMAND_CONNECTIONS)
    return {
      ...postgresConsoleStore(client, this.place),
      [Symbol.dispose]: () => void client[Symbol.asyncDispose](),
    }
  }

  async hasOperator(): Promise<boolean> {
    return this.#using(async (client) => {
      if ((await schemaState(client)).version === 0) return false
      return postgresConsoleStore(client, this.place).users.hasOperator()
    })
  }

  /**
   * Opens the secrets.
   * @throws LedgerError `without_secrets` if the keys were hashed with a secret other than the configured one.
   */
  async openSecrets(): Promise<InstallationSecrets> {
    return this.#using(async (client) => {
      // Secrets are in the first tables, so a reader need not migrate the database.
      if ((await schemaState(client)).version === 0) await migrate(client, SCHEMA)
      return readSecrets(client, this.#address.secret, this.place)
    })
  }

  async copyFrom<T>(step: (source: CopySource) => Promise<T>): Promise<T> {
    const { place } = this
    // Checks that the database exists and has a supported version.
    await (await this.openReader())[Symbol.asyncDispose]()
    const secrets = await this.openSecrets()
    return this.#long(async (transaction) => step(await copySource(transaction, secrets, place)))
  }

  async copyTo(source: CopySource, check: CopyCheck): Promise<CopyCounts> {
    const { place } = this
    const { secret } = this.#address
    await this.#prepareCopy(await source.findBeginning())
    const counts = await this.#long(async (transaction) => {
      const keepSecrets = (secrets: InstallationSecrets) => beginCopy(transaction, secret, secrets)
      const copied = await copyAll(source, await copyTarget(transaction, keepSecrets, place))
      await completeCopy(transaction)
      return copied
    })
    await using reader = await this.openReader()
    await check(reader)
    await this.#using((client) => endCopy(client))
    return counts
  }

  async backUp(): Promise<never> {
    throw hasOwnTools("backed up with pg_dump", this.place)
  }

  async restore(): Promise<never> {
    throw hasOwnTools("restored with pg_restore", this.place)
  }

  /** Creates the tables, and the partitions for the rows that will be copied. */
  async #prepareCopy(beginning: number | null): Promise<void> {
    await this.openSecrets()
    await using client = await this.#opened(1)
    await ensurePartitions(client, Date.now(), beginning ?? undefined)
  }

  #long<T>(step: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#using((client) => client.longTransaction(step))
  }

  async #opened(connections: number): Promise<PostgresClient> {
    const client = this.#client(connections)
    try {
      await migrate(client, SCHEMA)
      await ensurePartitions(client, Date.now())
      return client
    } catch (error) {
      await client[Symbol.asyncDispose]()
      throw explainedError(error, this.place)
    }
  }

  async #using<T>(step: (client: PostgresClient) => Promise<T>): Promise<T> {
    await using client = this.#client(1)
    try {
      return await step(client)
    } catch (error) {
      throw explainedError(error, this.place)
    }
  }

  #client(connections: number): PostgresClient {
    return new PostgresClient(this.#options(connections))
  }

  #options(max: number): PoolOptions {
    const { url, preparedStatements } = this.#address
    return { url, max, connectTime: CONNECT_TIMEOUT_MS, preparedStatements }
  }
}

/**
 * Divides the connections, so that settlements, content that callers wait for, and reports do not take each other's
 * connections. With two or three connections, settlements and content share theirs.
 */
function shares(connections: number) {
  const settling = Math.ceil(connections / 2)
  const keeping = Math.floor((connections - settling) / 2)
  return { settling, keeping, reading: connections - settling - keeping }
}

function hasOwnTools(words: string, place: string): LedgerError {
  return new LedgerError("unavailable", `${place} is ${words}`)
}
