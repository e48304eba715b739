import { afterAll, beforeAll, expect, test } from "bun:test"
import { bigints, texts } from "../../../src/store/postgres/arrays.ts"
import { PostgresClient } from "../../../src/store/postgres/client.ts"
import { migrate, newestOf } from "../../../src/store/postgres/migrate.ts"
import { SCHEMA } from "../../../src/store/postgres/schema/steps.ts"
import { PostgresServer } from "../../support/postgres-server.ts"
import { servedTime } from "../../support/served-time.ts"
import { until } from "../../support/until.ts"

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.start()
})
afterAll(() => server[Symbol.asyncDispose]())

async function open(): Promise<PostgresClient> {
  return new PostgresClient({ url: server.url(await server.create()), max: 4, connectTime: 5_000 })
}

test("processes that start simultaneously migrate a database once", async () => {
  const url = server.url(await server.create())
  const clients = [1, 2, 3].map(() => new PostgresClient({ url, max: 2, connectTime: 5_000 }))
  const states = await Promise.all(clients.map((client) => migrate(client, SCHEMA)))
  expect(states).toEqual(states.map(() => ({ version: newestOf(SCHEMA), oldest: 100 })))
  await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()))
})

test("PostgreSQL values are read as they were written", async () => {
  await using client = await open()
  const row = await client.row(
    "SELECT $1::bigint AS number, $2::text AS text, $3::text[] AS texts, $4::bigint[] AS numbers, $5::bytea AS bytes, $6::boolean AS yes",
    [
      2n ** 63n - 1n,
      `'"\\,{}\n€`,
      texts(["a,b", `"`, "\\", "", "NULL"]),
      bigints([-(2n ** 63n), 0n]),
      new Uint8Array([0, 255]),
      true,
    ],
  )
  expect(row).toEqual({
    number: 2n ** 63n - 1n,
    text: `'"\\,{}\n€`,
    texts: ["a,b", `"`, "\\", "", "NULL"],
    numbers: [-(2n ** 63n), 0n],
    bytes: Buffer.from([0, 255]),
    yes: true,
  })
})

test("a step of the PostgreSQL client that fails changes nothing", async () => {
  await using client = await open()
  await client.run("CREATE TABLE things (id bigint PRIMARY KEY)")
  const failing = client.transaction(async (transaction) => {
    await transaction.run("INSERT INTO things VALUES (1)")
    throw new Error("no")
  })
  expect(await failing.catch((error: Error) => error.message)).toBe("no")
  expect(await client.rows("SELECT * FROM things")).toEqual([])
})

test("steps of the PostgreSQL client wait for a free connection", async () => {
  await using client = await open()
  const steps = Array.from({ length: 40 }, (_, index) =>
    client.transaction((transaction) => transaction.row("SELECT $1::bigint AS n", [BigInt(index)])),
  )
  expect(await Promise.all(steps)).toEqual(steps.map((_, index) => ({ n: BigInt(index) })))
})

test("connections that the server closes are replaced, and reads are retried", async () => {
  await using client = await open()
  const end =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND usename = 'tollgate' AND datname LIKE 'test%'"
  await Promise.all([1, 2, 3, 4].map(() => client.row("SELECT pg_sleep(0.01)")))
  await server.administer(end)
  expect(await client.row("SELECT 1::bigint AS one")).toEqual({ one: 1n })
  await server.administer(end)
  const result = await client.transaction((transaction) =>
    transaction.row("SELECT 2::bigint AS two"),
  )
  expect(result).toEqual({ two: 2n })
})

test("locks of a client that has vanished are released, and a slow client retries", async () => {
  await using client = await open()
  const attempts: string[] = []
  await client.transaction(async (transaction) => {
    const row = await transaction.row<{ limit: string }>(
      "SELECT current_setting('idle_in_transaction_session_timeout') AS limit",
    )
    attempts.push(row?.limit ?? "")
    if (attempts.length > 1) return
    const self = await transaction.row<{ pid: number }>("SELECT pg_backend_pid() AS pid")
    await transaction.run("SET LOCAL idle_in_transaction_session_timeout = 20")
    await until(async () => {
      const there = "SELECT pid FROM pg_stat_activity WHERE pid ="
      return (await server.administer(`${there} ${self?.pid}`)).length === 0
    })
    await transaction.row("SELECT 1")
  })
  expect(attempts).toEqual(["5s", "5s"])
})

test("steps run during shutdown if the database is available, and otherwise fail immediately", async () => {
  await using client = await open()
  await using away = new PostgresClient({
    url: "postgres://nobody@127.0.0.1:1/none",
    max: 1,
    connectTime: 5_000,
  })
  for (const each of [client, away]) each.endBy(performance.now())
  expect(await client.row("SELECT 1 AS one")).toEqual({ one: 1 })
  const rejected = () => expect(away.row("SELECT 1")).rejects.toThrow("Failed to connect")
  // Otherwise, the time is 8 seconds.
  expect(await servedTime(rejected)).toBeLessThan(4_000)
})

test("a timeout error names the cause of the previous failed attempt", async () => {
  const fields = "SFATAL\0C57P03\0Mthe database system is starting up\0\0"
  const rejection = Buffer.from(`E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}`)
  let connections = 0
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        // The second connection receives no response.
        if (connections++ === 0) socket.end(rejection)
      },
    },
  })
  const url = `postgres://nobody@127.0.0.1:${listener.port}/none`
  await using client = new PostgresClient({ url, max: 1, connectTime: 60_000 })
  client.endBy(performance.now() + 2_000)
  const failure = await client.row("SELECT 1").catch(String)
  listener.stop(true)
  expect(connections).toBe(2)
  expect(failure).toContain("the database system is starting up")
})
