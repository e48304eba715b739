import { expect, test } from "bun:test"
import { Maintenance, type MaintenanceParts } from "../../src/app/maintenance.ts"
import { TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

const DAY = 24 * 60 * 60_000

interface Heard {
  readonly failures: unknown[]
  readonly pruned: number[]
}

function partsFor(
  parts: Pick<MaintenanceParts, "store"> & Partial<MaintenanceParts>,
  heard: Heard,
) {
  const alarms = {
    maintenanceFailed: (error: unknown) => void heard.failures.push(error),
    ledgerPruned: (_before: number, removed: number) => void heard.pruned.push(removed),
  }
  const state = { settings: { retention: { contents: DAY, receipts: 62 * DAY } } }
  return { database: { prepare: async () => {} }, state, alarms, every: 5, ...parts }
}

test("periodic maintenance prepares the database repeatedly, even after a failure, until the node stops", async () => {
  await using own = await TestDatabase.open()
  let calls = 0
  const database = {
    async prepare() {
      if (++calls === 2) throw new Error("away")
    },
  }
  const heard = { failures: [], pruned: [] }
  const maintenance = new Maintenance(partsFor({ store: own.store, database }, heard))
  await until(() => calls >= 4)
  await maintenance[Symbol.asyncDispose]()
  const after = calls
  await Bun.sleep(20)
  expect(calls).toBe(after)
  expect(heard.failures).toHaveLength(1)
})

test("rows older than the configured age are removed once, and the removal is recorded", async () => {
  await using own = await TestDatabase.open()
  // The grants are from 1970. Only the last grant must be kept.
  await own.account("a", 5n)
  await own.grant("a", 6n)
  await own.grant("a", 7n)
  await own.account("b", 1n)
  await own.store.integrity.advanceAnchor(Date.now())
  const heard: Heard = { failures: [], pruned: [] }
  const maintenance = new Maintenance(partsFor({ store: own.store }, heard))
  await until(() => heard.pruned.length > 0)
  await maintenance[Symbol.asyncDispose]()
  expect(heard).toEqual({ failures: [], pruned: [2] })
  const entries = await own.store.entries.list("a", 0, 10)
  expect(entries.map(({ number }) => number)).toEqual([3])
  const [record] = await own.store.audit.list({ action: "ledger.prune" }, null, 10)
  expect(record).toMatchObject({ actorName: "retention", after: expect.stringContaining("until") })
})
