import { databaseOf } from "../src/store/installation-database.ts"
import { PostgresServer } from "../test/support/postgres-server.ts"
import type { Fault, Pause, TortureDatabase, TortureEngine } from "./engines.ts"
import { networkFaults } from "./faults/fault-loop.ts"
import { FaultyProxy } from "./proxy.ts"
import type { Random } from "./random.ts"

const CONNECTIONS = 4
const MAX_OUTAGE_MS = 3_000

/** A PostgreSQL server behind a proxy. The nodes do not share a folder. */
export const POSTGRESQL: TortureEngine = {
  name: "postgresql",
  start: () => startDatabase("database"),
}

/** The same engine. Each node settles to its own journal. */
export const POSTGRESQL_JOURNAL: TortureEngine = {
  name: "postgresql-journal",
  start: () => startDatabase("journal"),
}

async function startDatabase(settle: "database" | "journal"): Promise<TortureDatabase> {
  await using building = new AsyncDisposableStack()
  const server = building.use(await PostgresServer.start({ isDurable: true }))
  const proxy = building.use(await FaultyProxy.start(server.port))
  const name = await server.create()
  const direct = server.url(name)
  const url = direct.replace(`:${server.port}/`, `:${proxy.port}/`)
  const yamlOf = (address: string): string =>
    `database: { url: "${address}", connections: ${CONNECTIONS}, settle: ${settle}, lease_term: 15s }\n`
  const stack = building.move()
  return {
    yaml: yamlOf(url),
    directYaml: yamlOf(direct),
    sharesFolder: false,
    faults: () => [...networkFaults(proxy, "the database's connections"), ...serverFaults(server)],
    openReader: ({ data }) =>
      databaseOf({ data, database: { url: direct, connections: CONNECTIONS } }).openReader(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function serverFaults(server: PostgresServer): Fault[] {
  const restart =
    (how: "SIGKILL" | "SIGQUIT" | "SIGINT") =>
    async (random: Random, pause: Pause): Promise<void> => {
      process.kill(server.pid, how)
      await pause(random.between(0, MAX_OUTAGE_MS))
      await server.restart()
    }
  return [
    { name: "the database killed", run: restart("SIGKILL") },
    { name: "the database shut down immediately", run: restart("SIGQUIT") },
    { name: "the database shut down fast", run: restart("SIGINT") },
    { name: "all connections terminated", run: () => terminate(server) },
    { name: "all connections terminated", run: () => terminate(server) },
  ]
}

async function terminate(server: PostgresServer): Promise<void> {
  const others = "pid <> pg_backend_pid() AND backend_type = 'client backend'"
  try {
    await server.administer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`,
    )
  } catch {
    // The previous fault has already cut the connection of this query.
  }
}
