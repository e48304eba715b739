import { expect, test } from "bun:test"
import { Claims } from "../../../src/http/idempotency/claims.ts"
import type { ClaimInput } from "../../../src/store/idempotency.ts"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import { type Engine, refusalOf } from "../engines.ts"

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

/** Held by every engine. */
export function idempotencyContract(engine: Engine): void {
  test("the first claims a key, and a later one is told about it", async () => {
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

  test("a claim whose process is dead is taken over by one request alone", async () => {
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
    // The one that only seemed dead can do nothing more.
    const record = { ...AUDIT, claim: "req_1" }
    const account = { id: "acc_1", name: "one", createdAt: 1 }
    expect(await refusalOf(store.accounts.create(account, record))).toBe("conflict")
    expect(await store.accounts.find("one")).toBeNull()
    expect(await claims.keep({ request: "req_1", size: 1, ...ROOM })).toEqual({
      isKept: false,
      dropped: [],
    })
    // What is done is not given back.
    await store.accounts.create(account, { ...record, claim: "req_2" })
    expect(await claims.release("req_2")).toBe(false)
    expect((await claims.claim(order("req_4", { replaces: "req_2" })))?.state).toBe("done")
  })

  test("answers are counted, the oldest make room, and none of it outlives its day", async () => {
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
}
