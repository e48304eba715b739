import { SQL } from "bun"
import { expect, test } from "bun:test"
import { join } from "node:path"
import { PostgresServer } from "../support/postgres-server.ts"
import { createInstallation, runCommand, runJson, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"

test("a migration of a data folder leaves the ledger unchanged if it is killed", async () => {
  using installation = createInstallation("")
  await runJson(installation, "account", "create", "caller", "--credits", "1")
  const migration = startMigration(join(installation.data, "tollgate.db"))
  const { value } = await migration.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe("stopped\n")
  migration.kill("SIGKILL")
  await migration.exited
  const { stdout } = await runCommand(installation, "ledger", "verify")
  expect(stdout).toContain("every row is correct")
  await runJson(installation, "account", "create", "another", "--credits", "1")
})

test("a node completes a database migration that a killed node had started", async () => {
  await using server = await PostgresServer.start()
  const url = server.url(await server.create())
  using installation = createInstallation(
    `server: { port: 0 }\ndatabase: { url: "${url}", connections: 5 }`,
  )
  await using holder = new SQL(url, { max: 1 })
  await holder`SELECT pg_advisory_lock(1)`
  const migration = startMigration(url)
  await until(async () => (await waiting(holder)) === 1)
  migration.kill("SIGKILL")
  await migration.exited
  // The server has not noticed the end of the process yet, so the next process waits for its lock.
  const starting = startServing(installation)
  await until(async () => (await waiting(holder)) === 2)
  await holder`SELECT pg_advisory_unlock(1)`
  await using serving = await starting
  expect((await fetch(`${serving.url}/healthz`)).status).toBe(200)
  await runJson(installation, "account", "create", "caller", "--credits", "1")
  const { stdout } = await runCommand(installation, "ledger", "verify")
  expect(stdout).toContain("every row is correct")
})

function startMigration(place: string) {
  const script = Bun.fileURLToPath(new URL("./cut-migration.ts", import.meta.url))
  return Bun.spawn([process.execPath, script, place], { stdout: "pipe" })
}

/** Returns the number of waits for an advisory lock. */
async function waiting(sql: SQL): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`
  return row?.count ?? 0
}
