import { expect, test } from "bun:test"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import { PostgresClient } from "../../../src/store/postgres/client.ts"
import { postgresStore } from "../../../src/store/postgres/postgres-store.ts"
import { CuttingProxy, type Cut } from "../../support/cutting-proxy.ts"
import { TestDatabases } from "../../support/postgres-databases.ts"
import { AUDIT } from "../audit-record.ts"
import { rejectionOf } from "../engines.ts"

const databases = new TestDatabases()
const GRANT = { account: "a", kind: "grant", amount: 5n, at: 1, note: null, author: null } as const

/** Opens a store that uses a proxy, and creates an account. */
async function openThroughProxy() {
  await using resources = new AsyncDisposableStack()
  const url = new URL(await databases.urlOf(crypto.randomUUID()))
  const proxy = resources.use(await CuttingProxy.listen(Number(url.port)))
  url.port = String(proxy.port)
  const client = new PostgresClient({ url: url.href, max: 2, connectTime: 5_000 })
  const store = resources.use(postgresStore(client))
  await store.accounts.create({ id: "a", name: "one", createdAt: 1 }, AUDIT)
  const open = resources.move()
  return { proxy, client, store, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const CUTS: readonly (readonly Cut[])[] = [["before"], ["after"], ["before", "before", "after"]]

for (const cuts of CUTS) {
  test(`a change is applied once if the connection breaks ${cuts.join(", ")} its COMMIT reaches the server`, async () => {
    await using opened = await openThroughProxy()
    const { proxy, store } = opened
    proxy.cutCommits(...cuts)
    expect(await store.entries.add(GRANT, AUDIT)).toMatchObject({ number: 1, balance: 5n })
    expect(proxy.cutsLeft).toBe(0)
    expect(await store.entries.list("a", 0, 9)).toHaveLength(1)
    expect(await store.audit.list({}, null, 9)).toHaveLength(2)
    expect((await verifyLedgers(store)).problems).toEqual([])
  })
}

test("an audit record is written once if the connection breaks during its COMMIT", async () => {
  await using opened = await openThroughProxy()
  const { proxy, store } = opened
  for (const cut of ["before", "after"] as const) {
    proxy.cutCommits(cut)
    const record = await store.audit.append({ ...AUDIT, target: cut })
    expect(await store.audit.list({ target: cut }, null, 9)).toEqual([record])
  }
})

test("a lease is returned once if the connection breaks during the COMMIT", async () => {
  await using opened = await openThroughProxy()
  const { proxy, store } = opened
  await store.entries.add({ ...GRANT, amount: 30n }, AUDIT)
  const process = { process: 1, host: "test", machine: null, beatAt: Date.now() }
  for (const id of ["n", "other"]) await store.nodes.join({ id, ...process })
  for (const cut of ["before", "after"] as const) {
    proxy.cutCommits(cut)
    const lease = await store.leases.take({ node: "n", owner: "a", wanted: 20n, min: 1n })
    expect(lease).toMatchObject({ granted: 20n, free: 10n })
    proxy.cutCommits(cut)
    await store.leases.giveBack("n", [{ owner: "a", amount: 5n }])
    expect(await store.accounts.find("a")).toMatchObject({ leased: 15n })
    await store.leases.giveBack("n", [{ owner: "a", amount: 15n }])
  }
  expect(proxy.cutsLeft).toBe(0)
})

test("a step that continues after a failed statement does not count as committed", async () => {
  await using opened = await openThroughProxy()
  const { client, store } = opened
  const step = client.transaction(async (transaction) => {
    await transaction.run("UPDATE accounts SET name = 'two'")
    await rejectionOf(transaction.row("SELECT 1 / 0"))
  })
  expect(await rejectionOf(step)).not.toBeUndefined()
  expect(await store.accounts.find("one")).not.toBeNull()
})
