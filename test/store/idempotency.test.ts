import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { Claims } from "../../src/http/idempotency/claims.ts"
import type { ClaimInput } from "../../src/store/idempotency.ts"
import { openDirectStore, TemporaryDirectory } from "./test-database.ts"

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

function totals(directory: TemporaryDirectory): unknown {
  using database = new Database(directory.database, { readonly: true })
  return database.query("SELECT scope, keys, bytes FROM idempotency_totals ORDER BY scope").values()
}

test("the idempotency store counts responses, evicts the oldest when full, and deletes expired claims", async () => {
  using directory = new TemporaryDirectory()
  await using store = openDirectStore(directory.database)
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
  expect(totals(directory)).toEqual([
    ["", 4, 800],
    ["account one", 3, 400],
    ["account two", 1, 400],
  ])
  const again = order("req_5", { key: "key 1", at: 5 })
  expect(await claims.claim(again)).toMatchObject({ request: "req_1", state: "done" })
  expect(await claims.claim(order("req_6", { key: "new", maxKeys: 3 }))).toBeNull()
  expect((await store.idempotency.sweep(3)).toSorted()).toEqual(["req_1", "req_2", "req_3"])
  expect(totals(directory)).toEqual([
    ["", 1, 400],
    ["account two", 1, 400],
  ])
  const late = order("req_7", { scope: "account two", key: "key 4", at: 90, expired: 4 })
  expect((await claims.claim(late))?.request).toBe("req_7")
  expect(totals(directory)).toEqual([
    ["", 1, 0],
    ["account two", 1, 0],
  ])
})

test("the idempotency store combines the writes of simultaneous steps", async () => {
  using directory = new TemporaryDirectory()
  await using store = openDirectStore(directory.database)
  const sizes: number[] = []
  const claims = new Claims({
    idempotency: {
      ...store.idempotency,
      perform(steps) {
        sizes.push(steps.length)
        return store.idempotency.perform(steps)
      },
    },
  })
  const orders = Array.from({ length: 20 }, (_, index) => order(`req_${index}`))
  const held = await Promise.all(orders.map((one) => claims.claim(one)))
  expect(new Set(held.map((claim) => claim?.request))).toEqual(new Set(["req_0"]))
  expect(sizes).toEqual([20])
})
