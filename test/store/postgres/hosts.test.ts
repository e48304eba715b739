import { afterAll, beforeAll, expect, test } from "bun:test"
import { createInstallation, runCommand, runJson, startServing } from "../../support/process.ts"
import { PostgresServer } from "../../support/postgres-server.ts"
import { until } from "../../support/until.ts"
import { PostgresClient } from "../../../src/store/postgres/client.ts"
import { PostgresDatabase } from "../../../src/store/postgres/postgres-database.ts"

let first: PostgresServer
let second: PostgresServer
const NAME = "test_1"

beforeAll(async () => {
  ;[first, second] = await Promise.all([PostgresServer.start(), PostgresServer.start()])
  await Promise.all([first.create(), second.create()])
})

afterAll(async () => {
  await first[Symbol.asyncDispose]()
  await second[Symbol.asyncDispose]()
})

/** Returns an address that names both servers, the first server first. */
function both(hosts: readonly string[] = [`127.0.0.1:${first.port}`, `localhost:${second.port}`]) {
  const one = first.url(NAME)
  const address = one.replace(`127.0.0.1:${first.port}`, hosts.join(","))
  return `${address}?target_session_attrs=read-write`
}

/** Makes one server the primary and the other read-only, like a switchover. */
async function switchTo(primary: PostgresServer): Promise<void> {
  const standby = primary === first ? second : first
  await standby.administer(`ALTER DATABASE ${NAME} SET default_transaction_read_only = on`)
  await primary.administer(`ALTER DATABASE ${NAME} RESET default_transaction_read_only`)
  for (const server of [first, second]) {
    await server.administer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${NAME}'`,
    )
  }
}

const PORT = "SELECT inet_server_port() AS port"

test("the PostgreSQL client connects to the writable host, even after a switchover", async () => {
  await switchTo(second)
  await using client = new PostgresClient({ url: both(), max: 4, connectTime: 5_000 })
  const port = async () => (await client.row<{ port: bigint | number }>(PORT))?.port
  expect(Number(await port())).toBe(second.port)
  await client.run("CREATE TABLE IF NOT EXISTS kept (number bigint)")
  const moves: string[] = []
  using _ = client.hosts.onMove(() => moves.push(client.hosts.primary))
  await switchTo(first)
  expect(Number(await port())).toBe(first.port)
  expect(moves).toEqual([first.url(NAME)])
  await client.transaction((transaction) =>
    transaction.run("CREATE TABLE IF NOT EXISTS kept (number bigint)"),
  )
})

test("the PostgreSQL client disconnects from a host that has become read-only", async () => {
  await switchTo(first)
  await using client = new PostgresClient({ url: both(), max: 2, connectTime: 5_000 })
  await client.run("CREATE TABLE IF NOT EXISTS kept (number bigint)")
  // From now on, the session is read-only but still open.
  await client.run("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
  await client.transaction((transaction) => transaction.run("INSERT INTO kept VALUES (1)"))
  expect(Number((await client.row<{ count: bigint }>("SELECT count(*) FROM kept"))?.count)).toBe(1)
})

test("the PostgreSQL client tries all hosts, and reports an error if all hosts are down", async () => {
  await switchTo(second)
  const dead = "127.0.0.1:1"
  await using one = new PostgresClient({
    url: both([dead, `127.0.0.1:${second.port}`]),
    max: 1,
    connectTime: 5_000,
  })
  expect(Number((await one.row<{ port: number }>(PORT))?.port)).toBe(second.port)
  const standby = new PostgresDatabase({
    url: both([`127.0.0.1:${first.port}`, `localhost:${first.port}`]),
    connections: 1,
  })
  const rejection = await standby.exists().catch((error: unknown) => String(error))
  expect(rejection).toContain("all hosts of the database are standbys")
  expect(rejection).toContain(`postgres://127.0.0.1:${first.port},localhost:${first.port}/${NAME}`)
})

test("all commands and the gateway use the primary host, before and after a switchover", async () => {
  await switchTo(second)
  using installation = createInstallation(
    `server: { port: 0 }\ndatabase: { url: "${both()}", secret: "${"s".repeat(32)}" }\n`,
  )
  await runJson(installation, "account", "create", "one", "--credits", "5")
  const doctor = await runCommand(installation, "doctor")
  expect(doctor.stdout).toMatch(/database connection +ok/)
  const status = await runCommand(installation, "database", "status")
  expect(status.stdout).toContain(`postgres://127.0.0.1:${first.port},localhost:${second.port}/`)
  const { key } = await runJson<{ key: string }>(installation, "key", "create", "--account", "one")
  const copy = await runCommand(
    installation,
    "database",
    "copy",
    "--from",
    "postgres",
    "--to",
    `sqlite:${installation.data}/copy`,
  )
  expect(copy).toMatchObject({ exitCode: 0 })
  await using serving = await startServing(installation)
  const chat = () =>
    fetch(`${serving.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sandbox/echo", messages: [{ role: "user", content: "Hi" }] }),
    })
  expect((await chat()).status).toBe(200)
  second.crash()
  await until(async () => !second.isRunning)
  const rejected = await runCommand(installation, "account", "create", "two")
  expect(rejected.exitCode).not.toBe(0)
  await second.restart()
  await until(async () => (await chat()).status === 200)
  await runJson(installation, "account", "create", "three")
})
