import { describe, expect, test } from "bun:test"
import { DatabaseWriter } from "../../src/ledger/database-writer.ts"
import { databaseRetries, FILE_RETRIES } from "../../src/store/retry-policy.ts"
import type { Batch, Posting } from "../../src/store/settlements.ts"
import type { Store } from "../../src/store/store.ts"
import { TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

const EMPTY: Batch = { postings: [], opened: [], closed: [] }

/** Returns a store whose database is unavailable for some calls. */
function failing(store: Store, state: { failures: number }): Store {
  const post: Store["settlements"]["post"] = (...parameters) => {
    if (state.failures-- > 0) return Promise.reject(new Error("database or disk is full"))
    return store.settlements.post(...parameters)
  }
  return { ...store, settlements: { ...store.settlements, post } }
}

/** Returns a store whose database never answers. */
function silentStore(store: Store): Store {
  const { promise } = Promise.withResolvers<never>()
  return { ...store, settlements: { ...store.settlements, post: () => promise } }
}

describe("a posting to an unavailable database", () => {
  test("succeeds if one of its retries succeeds", async () => {
    await using database = TestDatabase.direct()
    const writer = new DatabaseWriter(failing(database.store, { failures: 2 }), {
      ...FILE_RETRIES,
      maxWaitMs: 2_000,
    })
    expect(await writer.write("node", EMPTY)).toEqual([])
    expect(writer.failure).toBeUndefined()
  })

  test("fails with the cause if its retries keep failing", async () => {
    await using database = TestDatabase.direct()
    const state = { failures: Infinity }
    const writer = new DatabaseWriter(failing(database.store, state), {
      ...FILE_RETRIES,
      maxWaitMs: 100,
    })
    await expect(writer.write("node", EMPTY)).rejects.toThrow("disk is full")
    expect(writer.failure).toMatchObject({ message: "database or disk is full" })
    state.failures = 0
    await writer.write("node", EMPTY)
    expect(writer.failure).toBeUndefined()
  })

  test("probes the database, so that the writer detects a recovery", async () => {
    await using database = TestDatabase.direct()
    const writer = new DatabaseWriter(failing(database.store, { failures: 1 }), {
      ...FILE_RETRIES,
      maxWaitMs: 0,
    })
    await expect(writer.write("node", EMPTY)).rejects.toThrow("disk is full")
    await writer.maintain("node")
    expect(writer.failure).toBeUndefined()
  })

  test("fails after the maximum wait of the retry policy if the database never responds", async () => {
    await using database = TestDatabase.direct()
    const writer = new DatabaseWriter(silentStore(database.store), databaseRetries(50))
    await expect(writer.write("node", EMPTY)).rejects.toMatchObject({ code: "unavailable" })
    expect(writer.failure).toMatchObject({ code: "unavailable" })
  })

  test("stays pending until its abandoned attempts have ended", async () => {
    await using database = TestDatabase.direct()
    const late = Promise.withResolvers<never>()
    const { settlements } = database.store
    const store = { ...database.store, settlements: { ...settlements, post: () => late.promise } }
    const writer = new DatabaseWriter(store, databaseRetries(20))
    const posting: Posting = {
      request: "req_1",
      account: "acct",
      key: "key",
      budgets: [],
      amount: 1n,
      writtenOff: [],
      at: 0,
      receipt: "{}",
    }
    await expect(writer.write("node", { ...EMPTY, postings: [posting] })).rejects.toThrow("in time")
    expect([writer.isPosting("req_1"), writer.isPosting("req_2")]).toEqual([true, false])
    late.reject(new Error("the database has restarted"))
    await until(() => !writer.isPosting("req_1"))
  })

  test("fails at shutdown, like pending writes, unless the database recovers", async () => {
    await using database = TestDatabase.direct()
    const state = { failures: Infinity }
    const options = databaseRetries(60_000)
    const writer = new DatabaseWriter(failing(database.store, state), options)
    const away = writer.write("node", EMPTY)
    const silent = new DatabaseWriter(silentStore(database.store), options)
    const unanswered = silent.write("node", EMPTY)
    for (const each of [writer, silent]) each.endBy(performance.now() + 100)
    const outcomes = await Promise.allSettled([away, unanswered])
    expect(outcomes).toMatchObject([
      { status: "rejected", reason: { message: "database or disk is full" } },
      {
        status: "rejected",
        reason: { message: "the database did not store the charges in time" },
      },
    ])
    await expect(writer.write("node", EMPTY)).rejects.toThrow("disk is full")
    state.failures = 0
    expect(await writer.write("node", EMPTY)).toEqual([])
  })
})
