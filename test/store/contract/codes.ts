import { describe, expect, test } from "bun:test"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import type { NewCode } from "../../../src/store/codes.ts"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import { type Engine, rejectionOf } from "../engines.ts"

function codeOf(id: string, changes: Partial<NewCode> = {}): NewCode {
  return {
    id,
    hash: `hash of ${id}`,
    hint: "WXYZ",
    note: null,
    amount: 5n,
    uses: 2,
    createdAt: 10,
    expiresAt: null,
    author: "me",
    ...changes,
  }
}

function redemption(id: string, account: string, at = 20) {
  return { hash: `hash of ${id}`, account, at, author: "ada" }
}

/** Tests that an engine fulfills this contract. */
export function codeContract(engine: Engine): void {
  describe("a credit code", () => {
    test("gives its credits to each account once, up to its number of uses", async () => {
      await using database = await TestDatabase.on(engine)
      for (const id of ["a", "b", "c"]) await database.account(id, 0n)
      await database.store.codes.create(codeOf("code"), AUDIT)
      expect(await database.store.codes.redeem(redemption("code", "a"), AUDIT)).toMatchObject({
        kind: "code",
        amount: 5n,
        balance: 5n,
        note: "code",
        author: "ada",
        at: 20,
      })
      const again = database.store.codes.redeem(redemption("code", "a"), AUDIT)
      expect(await rejectionOf(again)).toBe("exists")
      await database.store.codes.redeem(redemption("code", "b"), AUDIT)
      const late = database.store.codes.redeem(redemption("code", "c"), AUDIT)
      expect(await rejectionOf(late)).toBe("insufficient")
      expect(await database.store.codes.find("code")).toMatchObject({ used: 2, uses: 2 })
      expect(await database.balanceOf("c")).toBe(0n)
      expect((await verifyLedgers(database.store)).problems).toEqual([])
    })

    test("exists only if its whole batch was created", async () => {
      await using database = await TestDatabase.on(engine)
      const { codes } = database.store
      const made = await codes.createAll([codeOf("one"), codeOf("two", { note: "b" })], AUDIT)
      expect(made.map(({ id, note, used }) => [id, note, used])).toEqual([
        ["one", null, 0],
        ["two", "b", 0],
      ])
      await database.account("a", 0n)
      await codes.redeem(redemption("two", "a"), AUDIT)
      const clash = codes.createAll([codeOf("three"), codeOf("one")], AUDIT)
      expect(
        await clash.then(
          () => "made",
          () => "rejected",
        ),
      ).toBe("rejected")
      expect(await codes.find("three")).toBeNull()
      expect(await codes.list(null, 10)).toHaveLength(2)
    })

    test("gives credits to one of several simultaneous requests if it has a single use", async () => {
      await using database = await TestDatabase.on(engine)
      const stores = [await database.another(), await database.another()]
      for (let index = 0; index < 10; index++) await database.account(`a${index}`, 0n)
      await database.store.codes.create(codeOf("code", { uses: 1 }), AUDIT)
      const tries = await Promise.allSettled(
        Array.from({ length: 10 }, (_, index) =>
          stores[index % 2]!.codes.redeem(redemption("code", `a${index}`), AUDIT),
        ),
      )
      expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    })

    test("causes an error if it is unknown, revoked or expired, or if the account is missing", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 0n)
      await database.store.codes.create(codeOf("old", { expiresAt: 20 }), AUDIT)
      await database.store.codes.create(codeOf("ended"), AUDIT)
      await database.store.codes.revoke("ended", 15, AUDIT)
      for (const [code, rejection] of [
        ["none", "not_found"],
        ["old", "expired"],
        ["ended", "revoked"],
      ] as const) {
        const redeeming = database.store.codes.redeem(redemption(code, "a"), AUDIT)
        expect(await rejectionOf(redeeming)).toBe(rejection)
      }
      expect(await database.store.codes.redeem(redemption("old", "a", 19), AUDIT)).toMatchObject({
        amount: 5n,
      })
      await database.store.codes.create(codeOf("fresh"), AUDIT)
      const nobody = database.store.codes.redeem(redemption("fresh", "nobody"), AUDIT)
      expect(await rejectionOf(nobody)).toBe("not_found")
      expect(await rejectionOf(database.store.codes.revoke("none", 1, AUDIT))).toBe("not_found")
      expect(await database.store.codes.revoke("ended", 99, AUDIT)).toMatchObject({ revokedAt: 15 })
    })

    test("appears in lists newest first, page by page", async () => {
      await using database = await TestDatabase.on(engine)
      for (const [id, createdAt] of Object.entries({ a: 1, b: 2, c: 2, d: 3 })) {
        await database.store.codes.create(codeOf(id, { createdAt }), AUDIT)
      }
      const first = await database.store.codes.list(null, 2)
      expect(first.map(({ id }) => id)).toEqual(["d", "c"])
      const second = await database.store.codes.list("c", 2)
      expect(second.map(({ id }) => id)).toEqual(["b", "a"])
      expect(JSON.stringify(first, (_, value) => String(value))).not.toContain("hash")
    })
  })
}
