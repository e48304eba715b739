import { afterAll, beforeAll, expect, test } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { PostgresServer } from "../support/postgres-server.ts"
import { createInstallation, runCommand, startServing } from "../support/process.ts"
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

test("a data folder of the time before nodes and write-offs is served as it was", async () => {
  using installation = createInstallation(settingsFor(simulator.url))
  const older = makeOlderFolder("sqlite-6", installation.data)
  const refused = await runCommand(installation, "ledger", "verify")
  expect(refused.stderr).toContain("written by an older Tollgate (schema 6")
  await using serving = await startServing(installation)
  await expectSameInstallation(serving, older)
  await expectRightLedger(installation, older)
})

test("two gateways that start at once upgrade a data folder whose gateway was killed", async () => {
  using installation = createInstallation(settingsFor(simulator.url))
  const older = makeOlderFolder("sqlite-18", installation.data)
  const starting = [startServing(installation), startServing(installation)] as const
  await using first = await starting[0]
  await using second = await starting[1]
  await expectSameInstallation(first, older)
  await expectRightLedger(installation, older)
  expect(await statusOf(second.url, older.key)).toBe(200)
})

test.each(["postgres-5", "postgres-13"])(
  "two nodes that start at once upgrade a database as %s",
  async (name) => {
    const url = server.url(await server.create())
    const older = await makeOlderDatabase(name, url)
    const settings = settingsFor(simulator.url, `database: { url: "${url}", connections: 5 }`)
    using left = createInstallation(settings)
    using right = createInstallation(settings)
    const refused = await runCommand(left, "ledger", "verify")
    expect(refused.stderr).toContain(`the database has schema ${name.split("-")[1]}`)
    const starting = [startServing(left), startServing(right)] as const
    await using first = await starting[0]
    await using second = await starting[1]
    await expectSameInstallation(first, older)
    await expectRightLedger(left, older)
    expect(await statusOf(second.url, older.key)).toBe(200)
  },
)

async function statusOf(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/credits`, { headers: { authorization: `Bearer ${key}` } })
  await response.body?.cancel()
  return response.status
}
