import { describe, expect, setSystemTime, test } from "bun:test"
import { KeyHasher } from "../../src/keys/secret.ts"
import { type Actor, COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { Codes } from "../../src/management/codes.ts"
import { Redemptions } from "../../src/management/redemptions.ts"
import { openConsoleFile } from "../../src/store/sqlite/console-file.ts"
import { AttemptLimits } from "../../src/users/attempt-limits.ts"
import { TestDatabase } from "../store/test-database.ts"
import { rejection, user } from "./support.ts"

const hasher = new KeyHasher("pepper".repeat(12))

function servicesOf({ store, directory }: TestDatabase) {
  const audit = new Audit(store)
  const limits = new AttemptLimits(openConsoleFile(directory.path))
  const parts = { store, audit, hasher, limits }
  return { redemptions: new Redemptions(parts), codes: new Codes(store, audit, hasher) }
}

describe("a redeemed credit code", () => {
  test("adds credits once in any spelling, and does not appear in the audit log", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", 0n)
    const { redemptions, codes } = servicesOf(database)
    const code = await codes.create(COMMAND_LINE, { credits: "2.5", uses: 3 })
    const typed = code.code.toLowerCase().replaceAll("-", " ")
    expect(await redemptions.redeem(user("member"), "a", typed)).toMatchObject({
      kind: "code",
      amount: "2.5",
      note: code.id,
      author: "ada@example.com",
    })
    const again = await rejection(redemptions.redeem(user("member"), "a", code.code))
    expect(again).toMatchObject({ kind: "conflict", parameter: "code" })
    const log = JSON.stringify(await database.store.audit.list({}, null, 9))
    expect(log).toContain("account.redeem")
    expect(log).not.toContain(code.code)
    expect(log).not.toContain(hasher.hash(code.code))
  })

  test("causes an error with the reason if it cannot be used", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", 0n)
    await database.account("b", 0n)
    const { redemptions, codes } = servicesOf(database)
    const redeem = (code: string) => rejection(redemptions.redeem(COMMAND_LINE, "a", code))
    const ended = await codes.create(COMMAND_LINE, { credits: "1", uses: 1 })
    await codes.revoke(COMMAND_LINE, ended.id)
    expect((await redeem(ended.code)).message).toContain("revoked")
    const used = await codes.create(COMMAND_LINE, { credits: "1", uses: 1 })
    await redemptions.redeem(COMMAND_LINE, "b", used.code)
    expect((await redeem(used.code)).message).toContain("has no uses left")
    for (const wrong of ["TG-0000-0000-0000-0000", "nonsense"]) {
      expect(await redeem(wrong)).toMatchObject({ kind: "invalid_value", parameter: "code" })
    }
  })

  test("cannot be redeemed after ten wrong codes from its account or IP address, in any process", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", 0n)
    await database.account("b", 0n)
    await database.account("c", 0n)
    const { redemptions, codes } = servicesOf(database)
    const another = servicesOf(database).redemptions
    const { code } = await codes.create(COMMAND_LINE, { credits: "1", uses: 5 })
    const operator = (address: string): Actor => ({ ...COMMAND_LINE, kind: "user", address })
    const attempts = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        rejection(
          (index % 2 === 0 ? redemptions : another).redeem(
            operator("1.1.1.1"),
            "a",
            "TG-0000-0000-0000-0000",
          ),
        ),
      ),
    )
    const kinds = attempts.map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === "invalid_value")).toHaveLength(10)
    const rejected = await rejection(redemptions.redeem(operator("2.2.2.2"), "a", code))
    expect(rejected.kind).toBe("too_many_attempts")
    expect(rejected.retryAfter).toBeWithin(800, 901)
    expect((await rejection(redemptions.redeem(operator("1.1.1.1"), "b", code))).kind).toBe(
      "too_many_attempts",
    )
    expect(await redemptions.redeem(operator("2.2.2.2"), "b", code)).toMatchObject({ amount: "1" })
    // A program redeems codes for all its customers, from a single address.
    const program: Actor = { ...operator("1.1.1.1"), kind: "admin_token" }
    expect(await redemptions.redeem(program, "c", code)).toMatchObject({ amount: "1" })
    setSystemTime(new Date(Date.now() + 15 * 60 * 1_000 + 1))
    try {
      expect(await redemptions.redeem(operator("1.1.1.1"), "a", code)).toMatchObject({
        amount: "1",
      })
    } finally {
      setSystemTime()
    }
  })

  test("adds credits if a member redeems it", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", 0n)
    const { redemptions } = servicesOf(database)
    expect((await rejection(redemptions.redeem(user("viewer"), "a", "x"))).kind).toBe("forbidden")
    expect((await rejection(redemptions.redeem(user(), "a", "x"))).kind).toBe("not_found")
    expect((await rejection(redemptions.redeem(COMMAND_LINE, "none", "x"))).kind).toBe("not_found")
  })
})
