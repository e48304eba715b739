import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  ConnectionPool,
  type PooledConnection,
} from "../../../src/store/postgres/connection-pool.ts"
import { PostgresServer } from "../../support/postgres-server.ts"
import { until } from "../../support/until.ts"

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.start()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Timeout of a step that never ends. */
const TIMEOUT_MS = 5_000

test("the connection pool never exceeds its maximum, even while a lost connection is being replaced", async () => {
  const name = await server.create()
  await using pool = new ConnectionPool({ url: server.url(name), max: 1, connectTime: 5_000 })
  const ask = (step: (connection: PooledConnection) => Promise<unknown>): Promise<string> =>
    pool.use(TIMEOUT_MS, step).then(
      () => "answered",
      (error: unknown) => String(error),
    )
  const sleeps = "SELECT pg_sleep(100)"
  const newcomers: Promise<string>[] = []
  const begin = async (): Promise<void> => {
    // Connections are lost before and after the pool reacts to a lost connection.
    for (let moment = 0; moment < 20; moment++) {
      newcomers.push(ask((connection) => connection.query("SELECT 1", [])))
      await Promise.resolve()
    }
  }
  const lost = ask(async (connection) => {
    try {
      await connection.query(sleeps, [])
    } catch (error) {
      void begin()
      throw error
    }
  })
  const waiting = [0, 1, 2].map(() => ask((connection) => connection.query("SELECT 2", [])))
  const asleep = `datname = '${name}' AND query = '${sleeps}' AND state = 'active'`
  await until(async () => {
    const rows = await server.administer(`SELECT 1 FROM pg_stat_activity WHERE ${asleep}`)
    return rows.length === 1
  })
  await server.administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${asleep}`)
  expect(await lost).toContain("terminating connection")
  const ends = await Promise.all([...waiting, ...newcomers])
  expect(newcomers).toHaveLength(20)
  expect(ends).toEqual(ends.map(() => "answered"))
  const connections = `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}'`
  expect(await server.administer(connections)).toHaveLength(1)
})

test("the server does not use JIT compilation for queries of the gateway", async () => {
  await using pool = new ConnectionPool({
    url: server.url(await server.create()),
    max: 1,
    connectTime: 5_000,
  })
  const [row] = await pool.use(TIMEOUT_MS, (connection) =>
    connection.query<{ jit: string }>("SHOW jit", []),
  )
  expect(row?.jit).toBe("off")
})
