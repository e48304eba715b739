import { describe, expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import { type Engine, rejectionOf } from "../engines.ts"

/** Tests that an engine fulfills this contract. */
export function accountContract(engine: Engine): void {
  describe("an account", () => {
    test("changes its name and its content storage independently", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 7n)
      expect(await database.store.accounts.update("a", { name: "new" }, AUDIT)).toMatchObject({
        name: "new",
        storesContent: false,
        balance: 7n,
      })
      await database.store.accounts.update("a", { storesContent: true }, AUDIT)
      expect(await database.store.accounts.find("new")).toMatchObject({
        id: "a",
        storesContent: true,
      })
    })

    test("appears in the check for any account", async () => {
      await using database = await TestDatabase.on(engine)
      expect(await database.store.accounts.any()).toBe(false)
      await database.account("a", 0n)
      expect(await database.store.accounts.any()).toBe(true)
    })

    test("appears in the list of all accounts, and is found by its id", async () => {
      await using database = await TestDatabase.on(engine)
      for (const id of ["a", "b", "c"]) await database.account(id, 5n)
      const idsOf = async (ids?: string[]) =>
        (await database.store.accounts.list(ids)).map(({ id, balance }) => `${id}: ${balance}`)
      expect(await idsOf()).toEqual(["a: 5", "b: 5", "c: 5"])
      expect(await idsOf(["c", "a", "unknown", "name of b"])).toEqual(["a: 5", "c: 5"])
      expect(await idsOf(["b"])).toEqual(["b: 5"])
      expect(await idsOf([])).toEqual([])
    })

    test("requires a unique name", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 0n)
      await database.account("b", 0n)
      const taken = database.store.accounts.update("a", { name: "name of b" }, AUDIT)
      expect(await rejectionOf(taken)).toBe("exists")
      const found = database.store.accounts.update("a", { name: "b" }, AUDIT)
      expect(await rejectionOf(found)).toBe("exists")
      const create = { id: "c", name: "b", createdAt: 1 }
      expect(await rejectionOf(database.store.accounts.create(create, AUDIT))).toBe("exists")
      expect(await database.store.accounts.update("a", { name: "name of a" }, AUDIT)).toMatchObject(
        {
          id: "a",
        },
      )
      expect(await rejectionOf(database.store.accounts.update("x", {}, AUDIT))).toBe("not_found")
    })

    test("passes its state and limits on to its keys, and notifies nodes of changes", async () => {
      await using database = await TestDatabase.on(engine)
      const { accounts, keys } = database.store
      await database.account("a", 0n)
      expect(await database.key("k", "a", null)).toMatchObject({
        accountState: "active",
        accountLimits: {},
        pausedAt: null,
      })
      const { revision } = await keys.listChanged(0)
      const limits = { models: ["x/*"], requestsPerMinute: 5, keys: 1 }
      const change = { state: "paused", limits } as const
      expect(await accounts.update("a", change, AUDIT)).toMatchObject(change)
      expect(await accounts.find("a")).toMatchObject(change)
      expect((await keys.listChanged(revision)).keys).toMatchObject([
        { id: "k", accountState: "paused", accountLimits: limits },
      ])
      expect(await rejectionOf(database.key("l", "a", null))).toBe("too_much")
      expect(await keys.update("k", { pausedAt: 7 }, AUDIT)).toMatchObject({ pausedAt: 7 })
      const changed = await keys.update("k", { isReadOnly: true, addresses: ["10.0.0.0/8"] }, AUDIT)
      expect(changed).toMatchObject({ isReadOnly: true, addresses: ["10.0.0.0/8"] })
      await keys.revoke("k", 8, AUDIT)
      expect(await database.key("l", "a", null)).toMatchObject({ id: "l" })
      expect(await accounts.update("a", { limits: {} }, AUDIT)).toMatchObject({ limits: {} })
    })

    test("has a limited number of open invitations", async () => {
      await using database = await TestDatabase.on(engine)
      const { accounts, invitations } = database.store
      await database.account("a", 0n)
      await accounts.update("a", { limits: { invitations: 1 } }, AUDIT)
      const invite = (id: string, createdAt: number) =>
        invitations.insert(
          {
            id,
            account: "a",
            email: `${id}@example.com`,
            role: "member",
            invitedBy: "me",
            createdAt,
            expiresAt: createdAt + 10,
            tokenHash: `hash of ${id}`,
          },
          AUDIT,
        )
      await invite("one", 100)
      expect(await rejectionOf(invite("two", 101))).toBe("too_much")
      // By this time, the first invitation has expired.
      await invite("three", 110)
      await invitations.remove("three", 111, AUDIT)
      await invite("four", 112)
    })

    test("cannot have a balance above the maximum amount of the ledger", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 2n ** 63n - 1n)
      expect(await rejectionOf(database.grant("a", 1n))).toBe("too_much")
      expect(await database.balanceOf("a")).toBe(2n ** 63n - 1n)
    })
  })
}
