import { expect, test } from "bun:test"
import { Claims } from "../../../src/http/idempotency/claims.ts"
import type { ClaimInput, IdempotencyResult } from "../../../src/store/idempotency.ts"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import { type Engine, rejectionOf } from "../engines.ts"

function order(request: string, more: Partial<ClaimInput> = {}): ClaimInput {
  return {
    scope: "account one",
    key: "key",
    fingerprint: "print",
    request,
    node: "node",
    at: 1_000,
    rights: "",
    expired: 0,
    replaces: null,
    maxKeys: 100,
    ...more,
  }
}

const ROOM = { maxOfScope: 1_000, maxOfAll: 1_000 }

/** Tests that an engine fulfills this contract. */
export function idempotencyContract(engine: Engine): void {
  test("the first request claims an idempotency key, and later requests find the claim", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    const claims = new Claims(store)
    expect(await claims.claim(order("req_1"))).toMatchObject({
      request: "req_1",
      state: "running",
    })
    const found = await claims.claim(order("req_2", { fingerprint: "other" }))
    expect(found).toMatchObject({ request: "req_1", fingerprint: "print", node: "node", at: 1_000 })
    const elsewhere = await claims.claim(order("req_3", { scope: "account two" }))
    expect(elsewhere?.request).toBe("req_3")
  })

  test("only one request takes over the claim of a dead process", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    const claims = new Claims(store)
    await claims.claim(order("req_1"))
    const over = { replaces: "req_1", node: "other", at: 2_000 }
    expect(await claims.claim(order("req_2", over))).toMatchObject({
      request: "req_2",
      node: "other",
      at: 2_000,
    })
    expect((await claims.claim(order("req_3", over)))?.request).toBe("req_2")
    // The process that only seemed to be dead can no longer write.
    const record = { ...AUDIT, claim: "req_1" }
    const account = { id: "acc_1", name: "one", createdAt: 1 }
    expect(await rejectionOf(store.accounts.create(account, record))).toBe("conflict")
    expect(await store.accounts.find("one")).toBeNull()
    expect(await claims.keep({ request: "req_1", size: 1, ...ROOM })).toEqual({
      isKept: false,
      dropped: [],
    })
    // A finished claim is not released.
    await store.accounts.create(account, { ...record, claim: "req_2" })
    expect(await claims.release("req_2")).toBe(false)
    expect((await claims.claim(order("req_4", { replaces: "req_2" })))?.state).toBe("done")
  })

  test("responses are counted, the oldest are evicted, and all expire after a day", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    const claims = new Claims(store)
    for (let number = 1; number <= 4; number++) {
      const scope = number === 4 ? "account two" : "account one"
      await claims.claim(order(`req_${number}`, { scope, key: `key ${number}`, at: number }))
    }
    const keep = (request: string, size: number, room = ROOM) =>
      claims.keep({ request, size, ...room })
    expect(await keep("req_1", 400)).toEqual({ isKept: true, dropped: [] })
    expect(await keep("req_2", 400)).toEqual({ isKept: true, dropped: [] })
    expect(await keep("req_3", 400)).toEqual({ isKept: true, dropped: ["req_1"] })
    const all = { maxOfScope: 1_000, maxOfAll: 900 }
    expect(await keep("req_4", 400, all)).toEqual({ isKept: true, dropped: ["req_2"] })
    const again = order("req_5", { key: "key 1", at: 5 })
    expect(await claims.claim(again)).toMatchObject({ request: "req_1", state: "done" })
    expect(await claims.claim(order("req_6", { key: "new", maxKeys: 3 }))).toBeNull()
    expect((await store.idempotency.sweep(3)).toSorted()).toEqual(["req_1", "req_2", "req_3"])
    const late = order("req_7", { scope: "account two", key: "key 4", at: 90, expired: 4 })
    expect((await claims.claim(late))?.request).toBe("req_7")
  })

  test("only one of several simultaneous claims for a key succeeds", async () => {
    await using database = await TestDatabase.on(engine)
    const stores = [database.store, await database.another(), await database.another()]
    const keys = Array.from({ length: 30 }, (_, index) => `key ${index}`)
    const held = await Promise.all(
      stores.map((store, node) => {
        const own = node === 1 ? keys.toReversed() : keys
        return store.idempotency.perform(
          own.map((key) => ({ kind: "claim", claim: order(`req_${node} ${key}`, { key }) })),
        )
      }),
    )
    const holders = held.map((results) => requestsOf(results).toSorted())
    expect(new Set(holders.map(String)).size).toBe(1)
    expect(new Set(holders[0]).size).toBe(30)
  })

  test("only one of several simultaneous takeovers of a claim succeeds", async () => {
    await using database = await TestDatabase.on(engine)
    const stores = [database.store, await database.another(), await database.another()]
    await new Claims(database.store).claim(order("req_1"))
    const held = await Promise.all(
      stores.map((store, node) =>
        new Claims(store).claim(order(`req_over_${node}`, { replaces: "req_1", node: `${node}` })),
      ),
    )
    expect(new Set(held.map((claim) => claim?.request)).size).toBe(1)
    expect(held[0]?.request).toStartWith("req_over")
  })

  test("only one of several simultaneous requests gets an expired claim", async () => {
    await using database = await TestDatabase.on(engine)
    const stores = [database.store, await database.another()]
    const claims = new Claims(database.store)
    await claims.claim(order("req_1", { fingerprint: "old" }))
    await claims.keep({ request: "req_1", size: 900, ...ROOM })
    const held = await Promise.all(
      stores.map((store, node) =>
        new Claims(store).claim(order(`req_new_${node}`, { at: 9_000, expired: 5_000 })),
      ),
    )
    expect(new Set(held.map((claim) => claim?.request)).size).toBe(1)
    expect(held[0]).toMatchObject({ state: "running", fingerprint: "print", at: 9_000 })
    // The response of this claim no longer takes space.
    const { request = "" } = held[0] ?? {}
    expect(await claims.keep({ request, size: 900, ...ROOM })).toEqual({
      isKept: true,
      dropped: [],
    })
  })

  test("all keys and responses of simultaneous requests on several nodes are counted", async () => {
    await using database = await TestDatabase.on(engine)
    const stores = [database.store, await database.another(), await database.another()]
    await Promise.all(
      stores.flatMap((store, node) =>
        Array.from({ length: 10 }, async (_, index) => {
          const request = `req_${node}_${index}`
          const claims = new Claims(store)
          await claims.claim(order(request, { key: request, at: 1_000 + index }))
          await claims.keep({ request, size: 30, ...ROOM })
        }),
      ),
    )
    const claims = new Claims(database.store)
    const one = (request: string, maxKeys: number) =>
      claims.claim(order(request, { key: request, maxKeys }))
    expect(await one("req_30", 30)).toBeNull()
    expect((await one("req_31", 31))?.request).toBe("req_31")
    expect(await claims.release("req_31")).toBe(true)
    expect(await claims.release("req_31")).toBe(false)
    expect((await one("req_32", 31))?.request).toBe("req_32")
    // 900 of 1,000 bytes are used. The oldest responses of all nodes are dropped first.
    const { dropped } = await claims.keep({ request: "req_32", size: 150, ...ROOM })
    expect(dropped.map((request) => request.slice(-2)).toSorted()).toEqual(["_0", "_0"])
    expect((await database.store.idempotency.sweep(2_000)).length).toBe(31)
    expect((await one("req_33", 1))?.request).toBe("req_33")
  })

  test("a claim is created even if its expiry is in the past", async () => {
    await using database = await TestDatabase.on(engine)
    const claims = new Claims(database.store)
    for (const request of ["req_1", "req_2"]) {
      const claim = await claims.claim(order(request, { at: 1_000, expired: 5_000 }))
      expect(claim).toMatchObject({ request, state: "running" })
    }
  })

  test("retried steps have the same results", async () => {
    await using database = await TestDatabase.on(engine)
    const { idempotency } = database.store
    const claim = { kind: "claim", claim: order("req_1") } as const
    expect(await idempotency.perform([claim])).toEqual(await idempotency.perform([claim]))
    const drop = { kind: "drop", request: "req_1" } as const
    expect(await idempotency.perform([drop, claim])).toEqual(
      await idempotency.perform([drop, claim]),
    )
    expect(await idempotency.perform([])).toEqual([])
    expect(await idempotency.sweep(0)).toEqual([])
  })
}

function requestsOf(results: readonly IdempotencyResult[]): string[] {
  return results.map((result) => String(Reflect.get(Object(result), "request")))
}
