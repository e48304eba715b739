import { describe, expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import { type Engine, rejectionOf } from "../engines.ts"

const SECRET = { hash: "new hash", hint: "wxyz", createdAt: 5, expiresAt: null } as const

/** Tests that an engine fulfills this contract. */
export function keyContract(engine: Engine): void {
  describe("a key", () => {
    test("belongs to an existing account and is found by its id", async () => {
      await using database = await TestDatabase.on(engine)
      expect(await rejectionOf(database.key("k", "nobody", null))).toBe("not_found")
      await database.account("a", 0n)
      const key = await database.key("k", "a", 7n, { dailyBudget: 3n })
      expect(key).toMatchObject({ budget: 7n, budgetLeft: 7n, dailyBudget: 3n, dailyLeft: 3n })
      expect(await database.store.keys.find("k")).toEqual(key)
      expect(await database.store.keys.find("none")).toBeNull()
    })

    test("keeps its old secret for a grace period after a rotation", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 0n)
      await database.key("k", "a", null)
      const { secrets } = await database.store.keys.rotate("k", SECRET, 100, AUDIT)
      expect(secrets).toMatchObject([
        { hash: "new hash", expiresAt: null },
        { hash: "hash of k", expiresAt: 100 },
      ])
      expect(await rejectionOf(database.store.keys.rotate("none", SECRET, 100, AUDIT))).toBe(
        "not_found",
      )
    })

    test("remains revoked after its revocation", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 0n)
      await database.key("k", "a", null)
      expect(await database.store.keys.revoke("k", 10, AUDIT)).toMatchObject({ revokedAt: 10 })
      const { keys } = database.store
      expect(await rejectionOf(keys.update("k", { name: "x" }, AUDIT))).toBe("revoked")
      expect(await rejectionOf(keys.update("none", {}, AUDIT))).toBe("not_found")
      expect(await rejectionOf(database.store.keys.rotate("k", SECRET, 1, AUDIT))).toBe("not_found")
      expect(await rejectionOf(database.store.keys.revoke("none", 1, AUDIT))).toBe("not_found")
    })

    test("has a budget whose remaining amount follows changes of the limit", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 100n)
      await database.key("k", "a", 10n)
      expect(await database.store.keys.update("k", { budget: 14n }, AUDIT)).toMatchObject({
        budget: 14n,
        budgetLeft: 14n,
      })
      expect(await database.store.keys.update("k", { budget: null }, AUDIT)).toMatchObject({
        budget: null,
        budgetLeft: null,
      })
    })
  })

  test("keys are listed newest first, filtered and page by page", async () => {
    await using database = await TestDatabase.on(engine)
    for (const account of ["a", "b"]) await database.account(account, 0n)
    for (const [id, account] of Object.entries({ k1: "a", k2: "a", k3: "b" })) {
      await database.key(id, account, null)
    }
    await database.store.keys.revoke("k1", 10, AUDIT)
    const ids = async (...query: Parameters<typeof database.store.keys.list>) =>
      (await database.store.keys.list(...query)).map(({ id }) => id)
    expect(await ids({ now: 20 }, null, 10)).toEqual(["k3", "k2", "k1"])
    expect(await ids({ now: 20 }, { at: 1, id: "k3" }, 1)).toEqual(["k2"])
    expect(await ids({ now: 20, accounts: ["a"] }, null, 10)).toEqual(["k2", "k1"])
    expect(await ids({ now: 20, accounts: [] }, null, 10)).toEqual([])
    expect(await ids({ now: 20, status: "revoked" }, null, 10)).toEqual(["k1"])
    expect(await ids({ now: 20, status: "active" }, null, 10)).toEqual(["k3", "k2"])
  })

  test("another process reads the keys that changed since a revision", async () => {
    await using database = await TestDatabase.on(engine)
    const other = await database.another()
    await database.account("a", 0n)
    const { revision } = await other.keys.listChanged(0)
    await database.key("k1", "a", null)
    await database.key("k2", "a", null)
    const changed = await other.keys.listChanged(revision)
    expect(changed.keys.map(({ id }) => id).toSorted()).toEqual(["k1", "k2"])
    const change = { name: "new", models: ["sim/*"], requestsPerMinute: 5, expiresAt: 99 }
    await database.store.keys.update("k2", change, AUDIT)
    await database.store.keys.revoke("k2", 10, AUDIT)
    const later = await other.keys.listChanged(changed.revision)
    expect(later.keys).toMatchObject([
      { id: "k2", ...change, tokensPerMinute: null, revokedAt: 10 },
    ])
    expect(await other.keys.listChanged(later.revision)).toEqual({ ...later, keys: [] })
  })

  test("budgets of keys are listed by owner with the spent amount", async () => {
    await using database = await TestDatabase.on(engine)
    const payer = await database.account("a", 100n)
    for (const id of ["k1", "k2"]) await database.key(id, "a", 10n)
    const ledger = await database.ledger("node")
    const paying = { ...payer, key: "k2", budgets: ["k2"] }
    await ledger.lease(paying, 5n)
    const hold = ledger.tryHold(database.order(paying, 5n))
    if (hold === undefined) throw new Error("nothing is held")
    await ledger.settle(hold, 3n, () => "{}")
    const all = await database.store.keys.listBudgets("", 10)
    expect(all.map(({ owner, spent }) => [owner, spent])).toEqual([
      ["k1", 0n],
      ["k2", 3n],
    ])
    expect(await database.store.keys.listBudgets(all[0]?.owner ?? "", 10)).toEqual(all.slice(1))
  })
}
