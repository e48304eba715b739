import { PostgresClient } from "../../src/store/postgres/client.ts"
import { migrate } from "../../src/store/postgres/migrate.ts"
import { ensurePartitions } from "../../src/store/postgres/partitions.ts"
import { SCHEMA } from "../../src/store/postgres/schema/steps.ts"
import { PostgresServer } from "./postgres-server.ts"

/** The server for all test files of one process. It starts with the first database and ends with the process. */
let shared: ReturnType<typeof start> | undefined

/** Databases for the tests of a file, one for each folder of a test. */
export class TestDatabases {
  readonly #databases = new Map<string, Promise<string>>()

  /** Returns the address of a folder's database, in which the gateway's tables exist. */
  urlOf(folder: string): Promise<string> {
    let url = this.#databases.get(folder)
    if (!url) this.#databases.set(folder, (url = migratedDatabase()))
    return url
  }
}

/**
 * Creates a database in which the gateway's tables exist. It is a copy, which takes a tenth of the processor time of a
 * migration.
 * @returns its address. Databases of other test files are on the same server.
 */
export async function migratedDatabase(): Promise<string> {
  const { server, template } = await sharedServer()
  return server.url(await server.create(template))
}

async function sharedServer(): ReturnType<typeof start> {
  const known = (shared ??= start())
  const isThere = await known.then(
    ({ server }) => server.isRunning,
    () => false,
  )
  if (!isThere && shared === known) shared = start()
  return shared
}

async function start() {
  const server = await PostgresServer.start()
  return { server, template: await createTemplate(server) }
}

/**
 * Creates a database in which the gateway's tables exist, for copies on the same server.
 * @returns its name.
 */
export async function createTemplate(server: PostgresServer): Promise<string> {
  const template = await server.create()
  {
    const url = server.url(template)
    await using client = new PostgresClient({ url, max: 1, connectTime: 60_000 })
    await migrate(client, SCHEMA)
    // Partitions are created once in the template, because creating them takes four times as long as the rest of a new
    // database.
    await ensurePartitions(client, Date.now())
  }
  await server.warmUp(template)
  return template
}
