import { afterAll, beforeAll, expect, test } from "bun:test"
import { databaseAt } from "../../../src/store/installation-database.ts"
import type { ServingDatabase } from "../../../src/store/serving-database.ts"
import { createTemplate } from "../../support/postgres-databases.ts"
import { PostgresServer } from "../../support/postgres-server.ts"
import { until } from "../../support/until.ts"
import { AUDIT } from "../audit-record.ts"

let server: PostgresServer
/** The name of a database with the gateway's tables, which each test copies. */
let template: string
beforeAll(async () => {
  server = await PostgresServer.start()
  template = await createTemplate(server)
})
afterAll(() => server[Symbol.asyncDispose]())

/** A node's database, with the number of notifications that it has received. */
interface Listener extends AsyncDisposable {
  readonly database: ServingDatabase
  readonly heard: () => number
}

async function listenTo(url: string): Promise<Listener> {
  const database = await databaseAt({ engine: "postgresql", url, connections: 4 }).openToServe(true)
  let count = 0
  const listening = database.listen(() => count++)
  return {
    database,
    heard: () => count,
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** Returns the number of connections that listen. Notifications sent before they listen would be lost. */
async function listeners(): Promise<number> {
  const [row] = await server.administer<{ count: bigint }>(
    "SELECT count(*) FROM pg_stat_activity WHERE query ILIKE 'LISTEN%'",
  )
  return Number(row?.count ?? 0)
}

const SETTING = {
  section: "setting",
  id: "timeouts.connect",
  body: '"5s"',
  encrypted: null,
} as const

test("a node receives notifications from other nodes, but not its own notifications", async () => {
  const url = server.url(await server.create(template))
  await using one = await listenTo(url)
  await using other = await listenTo(url)
  await until(async () => (await listeners()) === 2)
  const { store } = one.database
  await store.settings.change([{ ...SETTING, replaces: null }], 1, AUDIT)
  await until(() => other.heard() === 1)

  await store.accounts.create({ id: "a", name: "a", createdAt: 1 }, AUDIT)
  const grant = {
    account: "a",
    kind: "grant",
    amount: 100n,
    at: 1,
    note: null,
    author: null,
  } as const
  await store.entries.add(grant, AUDIT)
  for (const id of ["one", "other"]) {
    await store.nodes.join({ id, process: 1, host: "test", beatAt: 1, machine: null })
  }
  await until(() => other.heard() === 3)
  const report = { deployment: "d", event: "failed", cooldownMs: 1_000 } as const
  await store.deploymentReports.report("one", [report])
  await until(() => other.heard() === 4)
  await store.leases.take({ node: "one", owner: "a", wanted: 100n, min: 1n })
  await other.database.store.leases.take({ node: "other", owner: "a", wanted: 50n, min: 1n })
  await until(() => one.heard() === 1)
  expect(other.heard()).toBe(4)
})

test("a node listens for notifications again after its connection was lost", async () => {
  const url = server.url(await server.create(template))
  await using one = await listenTo(url)
  await using other = await listenTo(url)
  await until(async () => (await listeners()) === 2)
  await server.administer(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'LISTEN%'",
  )
  await until(async () => (await listeners()) === 2)
  await one.database.store.settings.change([{ ...SETTING, replaces: null }], 1, AUDIT)
  await until(() => other.heard() === 1)
})

test("a command notifies running nodes of its change before it exits", async () => {
  const url = server.url(await server.create(template))
  await using node = await listenTo(url)
  await until(async () => (await listeners()) === 1)
  {
    await using store = await databaseAt({ engine: "postgresql", url, connections: 4 }).openStore()
    await store.settings.change([{ ...SETTING, replaces: null }], 1, AUDIT)
  }
  await until(() => node.heard() === 1)
})
