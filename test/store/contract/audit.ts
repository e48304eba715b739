import { describe, expect, test } from "bun:test"
import type { NewAuditRecord } from "../../../src/store/audit.ts"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import { type Engine, rejectionOf } from "../engines.ts"

function change(action: string, details: Partial<NewAuditRecord> = {}): NewAuditRecord {
  return { ...AUDIT, ...ADA, action, ...details }
}

const ADA = {
  at: 1_000,
  actorKind: "user",
  actorId: "user_1",
  actorName: "ada@example.com",
  address: "127.0.0.1",
} as const

/** Filters out the records of the test's preparation. */
const BY_ADA = { actor: "ada@example.com" }

const GRANT = { account: "a", kind: "grant", amount: 5n, at: 3, note: null, author: null } as const

/** Tests that an engine fulfills this contract. */
export function auditContract(engine: Engine): void {
  describe("a change and its audit record", () => {
    test("take effect together", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 0n)
      const record = change("account.entry", { account: "a", after: '{"amount":"0.000000005"}' })
      expect(await database.store.entries.add(GRANT, record)).toMatchObject({ number: 1 })
      expect(await database.balanceOf("a")).toBe(5n)
      expect(await database.store.audit.list(BY_ADA, null, 10)).toMatchObject([
        { ...record, number: 2 },
      ])
    })

    test("fail together if the step is rejected", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 0n)
      const audited = database.store.entries.add({ ...GRANT, amount: -5n }, change("x"))
      expect(await rejectionOf(audited)).toBe("insufficient")
      expect(await database.store.audit.list(BY_ADA, null, 10)).toEqual([])
    })
  })

  test("audit records can be filtered and are listed page by page, newest first", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    await store.audit.append(change("key.create", { account: "a", target: "key_1", at: 10 }))
    await store.audit.append(change("key.revoke", { account: "b", target: "key_1", at: 20 }))
    await store.audit.append(change("keys", { actorId: null, actorName: "admin token", at: 30 }))
    const numbers = async (filter: object, before: number | null = null, limit = 10) =>
      (await store.audit.list(filter, before, limit)).map(({ number }) => number)
    expect(await numbers({})).toEqual([3, 2, 1])
    expect(await numbers({}, 3, 1)).toEqual([2])
    expect(await numbers({ accounts: ["a", "b"] })).toEqual([2, 1])
    expect(await numbers({ accounts: [] })).toEqual([])
    expect(await numbers({ actor: "ADMIN" })).toEqual([3])
    expect(await numbers({ actor: "user_1" })).toEqual([2, 1])
    expect(await numbers({ action: "key.*" })).toEqual([2, 1])
    expect(await numbers({ action: "key.create" })).toEqual([1])
    expect(await numbers({ target: "key_1", from: 11 })).toEqual([2])
    await store.audit.append(change("told", { at: 40, before: '{"email":"ADA@example.com"}' }))
    await store.audit.append(change("told", { at: 50, after: '{"user":"user_2"}' }))
    expect(await numbers({ mentions: ["ada@example.com", "user_2"] })).toEqual([5, 4])
    expect(await numbers({ mentions: ["user_1"] })).toEqual([])
    expect(await numbers({ mentions: [] })).toEqual([])
    expect(await numbers({ from: 10, to: 20 })).toEqual([1])
    const search = { text: "nothing", action: undefined, people: [] }
    expect(await numbers({ search })).toEqual([])
    expect(await numbers({ search: { ...search, action: "*revoke*" } })).toEqual([2])
    expect(await numbers({ search: { ...search, text: "KEY_" } })).toEqual([2, 1])
    expect(await numbers({ search: { ...search, text: "Admin" } })).toEqual([3])
    expect(await numbers({ search: { ...search, text: "user_1" } })).toEqual([5, 4, 2, 1])
    expect(await numbers({ above: 2 }, 5)).toEqual([4, 3])
    expect(await numbers({ above: -3 }, 2)).toEqual([1])
  })

  test("a search of audit records finds the names of objects and the people whom records are about", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    await database.account("acc_1", 0n)
    await store.audit.append(change("one", { target: "acc_1" }))
    await store.audit.append(change("two", { before: '{"name":"Old \\"1%\\" name"}' }))
    await store.audit.append(change("three", { after: '{"name":"encrypted:user_7:c2VjcmV0"}' }))
    await store.audit.append(change("four", { after: '{"email":"encrypted:user_8:c2VjcmV0"}' }))
    await store.audit.append(change("five", { target: "user_8", after: '{"names":["old"]}' }))
    const actions = async (text: string, people: readonly string[] = []) =>
      (
        await store.audit.list({ ...BY_ADA, search: { text, action: undefined, people } }, null, 10)
      ).map(({ action }) => action)
    expect(await actions('old "1%')).toEqual(["two"])
    expect(await actions("c2VjcmV0")).toEqual([])
    expect(await actions("nothing", ["user_7"])).toEqual(["three"])
    expect(await actions("nothing", ["user_7", "user_8"])).toEqual(["five", "four", "three"])
    expect(await actions("NAME OF acc_")).toEqual(["one"])
  })
}
