import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { progressWords } from "../../src/cli/verify-progress.ts"
import {
  type Checkpoint,
  checkpointPath,
  readCheckpoint,
  writeCheckpoint,
} from "../../src/ledger/verify/checkpoint.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import type { Store } from "../../src/store/store.ts"
import { BEFORE, happen, posting, pruneAll } from "../store/contract/pruning.ts"
import { openDirectStore, TemporaryDirectory } from "../store/test-database.ts"

const SECRET = "0".repeat(64)
const NOW = Date.now()
const NODE = { id: "again", process: 1, host: "test", beatAt: NOW, machine: null }

/** Adds several pages of charges for two accounts, and of requests without a cost. One account has budgets. */
async function charge(store: Store, count: number): Promise<void> {
  await store.nodes.join(NODE)
  for (const owner of ["busy", "new", "key"]) {
    await store.leases.take({ node: NODE.id, owner, wanted: 5_000n, min: 1n })
  }
  const postings = Array.from({ length: count }, (_, index) =>
    posting(NOW + index, {
      account: index % 3 === 0 ? "new" : "busy",
      budgets: index % 3 === 0 ? [] : ["key"],
      amount: index % 4 === 0 ? 0n : 1n,
    }),
  )
  await store.settlements.post(NODE.id, { postings, opened: [], closed: [] })
  await store.nodes.remove(NODE.id, NOW)
  for (let isBehind = true; isBehind;) ({ isBehind } = await store.integrity.advanceAnchor(NOW))
}

/** Verifies the ledger, and returns a checkpoint for each moment at which a checkpoint is possible. */
async function verified(store: Store, from?: Checkpoint) {
  const checkpoints: Checkpoint[] = []
  const verdict = await verifyLedgers(store, undefined, {
    from,
    onPage: (progress) => void checkpoints.push(progress.checkpoint(1)),
  })
  expect(verdict.problems).toEqual([])
  return { verdict, checkpoints, end: checkpoints.at(-1) }
}

describe("ledger verification with checkpoints", () => {
  const directory = new TemporaryDirectory()
  /** Checkpoints of the ledger before the last charges. */
  let checkpoints: Checkpoint[]

  beforeAll(async () => {
    await using store = openDirectStore(directory.database)
    await happen(store)
    await charge(store, 3_000)
    ;({ checkpoints } = await verified(store))
    await charge(store, 700)
  })
  afterAll(() => directory[Symbol.dispose]())

  /** Runs a step with a copy of the ledger that someone has changed. */
  async function changed<T>(sql: string, step: (store: Store) => Promise<T>): Promise<T> {
    using own = new TemporaryDirectory()
    {
      using source = new Database(directory.database)
      source.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    copyFileSync(directory.database, own.database)
    {
      using database = new Database(own.database)
      database.run(sql)
    }
    await using store = openDirectStore(own.database)
    return await step(store)
  }

  test("resumes from each page with the same result", async () => {
    await using store = openDirectStore(directory.database)
    const { verdict: whole, end } = await verified(store)
    expect(checkpoints.length).toBeGreaterThan(8)
    for (const checkpoint of checkpoints) {
      const { verdict, end: reached } = await verified(store, checkpoint)
      const before = Object.values(checkpoint.accounts).reduce((sum, { number }) => sum + number, 0)
      expect(verdict.entries).toBe(whole.entries - before)
      expect(verdict.receipts).toBe(whole.receipts)
      expect(verdict.from?.at).toBe(1)
      expect(reached?.accounts).toEqual(end?.accounts ?? {})
      expect(reached?.spent).toEqual(end?.spent ?? {})
      expect(reached?.rows).toEqual(end?.rows ?? checkpoint.rows)
    }
    expect(end?.rows.last).toBeGreaterThan(3_000)
  })

  test("reads the receipts of a page in one query", async () => {
    await using store = openDirectStore(directory.database)
    let asked = 0
    const settlements = new Proxy(store.settlements, {
      get(target, name) {
        asked++
        return Reflect.get(target, name) as unknown
      },
    })
    const { entries, problems } = await verifyLedgers({ ...store, settlements })
    expect(problems).toEqual([])
    // There is one query for each page of 500, and a few for each account and each write-off.
    expect(asked).toBeLessThan(entries / 100)
  })

  test("reports only the remaining work when it is resumed", async () => {
    await using store = openDirectStore(directory.database)
    for (const from of checkpoints) {
      let [done, total] = [0, 0]
      await verifyLedgers(store, undefined, {
        from,
        onPage: (progress) => void ([done, total] = [progress.done, progress.total]),
      })
      expect(done / total).toBeGreaterThan(0.7)
      expect(done / total).toBeLessThanOrEqual(1)
    }
  })

  test("does not detect changes before the checkpoint, but full verification does", async () => {
    const last = checkpoints.at(-1)
    const changes = [
      "UPDATE entries SET note = 'other' WHERE account = 'busy' AND number = 7",
      "UPDATE entries SET receipt = '{}' WHERE account = 'busy' AND number = 7",
    ]
    for (const change of changes) {
      await changed(change, async (store) => {
        expect((await verifyLedgers(store, undefined, { from: last })).problems).toEqual([])
        expect((await verifyLedgers(store)).problems).toHaveLength(1)
      })
    }
  })

  test("detects changes of rows after the checkpoint", async () => {
    const last = checkpoints.at(-1)
    const { number = 0 } = last?.accounts["busy"] ?? {}
    const rest = "account = 'busy' AND number >="
    const changes = [
      `DELETE FROM entries WHERE ${rest} ${number}`,
      `UPDATE entries SET hash = replace(hash, substr(hash, 1, 1), 'f') WHERE ${rest} ${number}`,
      `UPDATE entries SET amount = amount - 1 WHERE ${rest} ${number + 1}`,
      `UPDATE balances SET posted = posted + 1 WHERE owner = 'busy'`,
      `UPDATE balances SET posted = posted + 1 WHERE owner = 'key'`,
      `UPDATE entries SET receipt = '{}' WHERE number IS NULL AND at >= ${NOW} AND rowid > 3400`,
    ]
    for (const change of changes) {
      await changed(change, async (store) => {
        const { problems, from } = await verifyLedgers(store, undefined, { from: last })
        expect([change, from !== null, problems.length > 0]).toEqual([change, true, true])
      })
    }
  })

  test("restarts if old rows were pruned, or if the anchor is older than the checkpoint", async () => {
    const last = checkpoints.at(-1)
    await changed("UPDATE anchor SET last_row = 1", async (store) => {
      expect((await verifyLedgers(store, undefined, { from: last })).from).toBeNull()
    })
    await changed("UPDATE anchor SET at = at", async (store) => {
      await pruneAll(store, BEFORE)
      const { verdict } = await verified(store, last)
      expect(verdict.from).toBeNull()
    })
  })

  test("writes no checkpoint beyond a problem", async () => {
    const change = "UPDATE entries SET receipt = '{}' WHERE account = 'busy' AND number = 1200"
    await changed(change, async (store) => {
      const found: Checkpoint[] = []
      const onPage = (progress: { checkpoint(at: number): Checkpoint }) =>
        void found.push(progress.checkpoint(1))
      const first = await verifyLedgers(store, undefined, { onPage })
      expect(first.problems).toHaveLength(1)
      for (const from of found) {
        expect(from.accounts["busy"]?.number ?? 0).toBeLessThan(1_200)
        const again = await verifyLedgers(store, undefined, { from })
        expect(again.problems).toMatchObject([{ account: "busy", number: 1_200 }])
      }
    })
  })
})

test("ledger verification ignores a checkpoint that is modified or signed with another secret", async () => {
  using directory = new TemporaryDirectory()
  const rows = { last: 5, count: 5, hashSum: "ab", receipts: 1 }
  const accounts = { acc: { number: 3, hash: "h", balance: "9007199254740993" } }
  const checkpoint: Checkpoint = { at: 1, prunedRows: 0, accounts, spent: { key: "7" }, rows }
  expect(readCheckpoint(directory.path, SECRET)).toBeUndefined()
  await writeCheckpoint(directory.path, checkpoint, SECRET)
  expect(readCheckpoint(directory.path, SECRET)).toEqual(checkpoint)
  expect(readCheckpoint(directory.path, "1".repeat(64))).toBeUndefined()
  const path = checkpointPath(directory.path)
  const text = readFileSync(path, "utf8")
  writeFileSync(path, text.replace('"number":3', '"number":4'))
  expect(readCheckpoint(directory.path, SECRET)).toBeUndefined()
  writeFileSync(path, text.slice(0, 20))
  expect(readCheckpoint(directory.path, SECRET)).toBeUndefined()
})

test("ledger verification reports its progress as a percentage, with the rows and the remaining time", () => {
  expect(progressWords({ done: 250, total: 1_000 }, 20_000)).toBe(
    "verified 25 %: 250 of 1000 rows read, 1m left",
  )
  expect(progressWords({ done: 0, total: 0 }, 0)).toBe("verified 100 %: 0 of 0 rows read, 0s left")
  expect(progressWords({ done: 12, total: 10 }, 5)).toContain("100 %: 12 of 12")
})
