import { SQL } from "bun"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { PostgresServer } from "../support/postgres-server.ts"
import { createInstallation, runCommand, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"
import { makeOlderDatabase, makeOlderFolder } from "./older-installation.ts"
import { expectRightLedger, expectSameInstallation, settingsFor } from "./upgraded-gateway.ts"

let simulator: Simulator
let server: PostgresServer

beforeAll(async () => {
  simulator = startSimulator()
  server = await PostgresServer.start()
})

afterAll(async () => {
  await simulator.stop()
  await server[Symbol.asyncDispose]()
})

test("an upgrade of a data folder that is killed, wherever it is, leaves it as it was", async () => {
  using installation = createInstallation(settingsFor(simulator.url))
  const older = makeOlderFolder("sqlite-6", installation.data)
  const database = join(installation.data, "tollgate.db")
  for (const [step, where] of [
    ["7", "inside"],
    ["19", "inside"],
    ["8", "after"],
    ["21", "after"],
  ] as const) {
    const process = startMigration(database, step, where)
    const { value } = await process.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toBe("stopped\n")
    process.kill("SIGKILL")
    await process.exited
    const { stderr } = await runCommand(installation, "ledger", "verify")
    expect(stderr).toContain("written by an older Tollgate (schema 6")
  }
  await using serving = await startServing(installation)
  await expectSameInstallation(serving, older)
  await expectRightLedger(installation, older)
})

test("a node finishes the upgrade of a database in which another was killed", async () => {
  const url = server.url(await server.create())
  const older = await makeOlderDatabase("postgres-5", url)
  const settings = settingsFor(simulator.url, `database: { url: "${url}", connections: 5 }`)
  using installation = createInstallation(settings)
  await using holder = new SQL(url, { max: 1 })
  await holder`SELECT pg_advisory_lock(1)`
  const process = startMigration(url, "14", "inside")
  await until(async () => (await waiting(holder)) === 1)
  process.kill("SIGKILL")
  await process.exited
  // The server has not noticed yet, so that the next one waits for the dead one's lock.
  const starting = startServing(installation)
  await until(async () => (await waiting(holder)) === 2)
  await holder`SELECT pg_advisory_unlock(1)`
  await using serving = await starting
  await expectSameInstallation(serving, older)
  await expectRightLedger(installation, older)
})

function startMigration(place: string, step: string, where: "inside" | "after") {
  const script = Bun.fileURLToPath(new URL("./cut-migration.ts", import.meta.url))
  return Bun.spawn([process.execPath, script, place, step, where], { stdout: "pipe" })
}

/** How many wait for an advisory lock. */
async function waiting(sql: SQL): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`
  return row?.count ?? 0
}
