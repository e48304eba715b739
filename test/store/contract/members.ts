import { expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import { type Engine, rejectionOf } from "../engines.ts"
import type { MemberRole } from "../../../src/store/members.ts"
import type { Store } from "../../../src/store/store.ts"

const NOW = 1_800_000_000_000

function member(user: string, role: MemberRole, joinedAt = NOW) {
  return { id: `mem_${user}`, account: "acc_a", user, role, joinedAt }
}

function invitation(id: string) {
  return {
    id,
    account: "acc_a",
    email: "ada@example.com",
    role: "member" as const,
    invitedBy: "olga@example.com",
    createdAt: NOW,
    expiresAt: NOW + 1_000,
    tokenHash: `hash of ${id}`,
  }
}

/** Returns a database with the account `acc_a`. */
async function databaseOn(engine: Engine): Promise<TestDatabase> {
  const database = await TestDatabase.on(engine)
  await database.store.accounts.create({ id: "acc_a", name: "a", createdAt: 1 }, AUDIT)
  return database
}

/** Tests that an engine fulfills this contract. */
export function memberContract(engine: Engine): void {
  test("only one of two owners can leave at the same time", async () => {
    await using database = await databaseOn(engine)
    const here = database.store
    const there = await database.another()
    await here.members.add(member("ada", "owner"), AUDIT)
    await here.members.add(member("bob", "owner"), AUDIT)
    const outcomes = await Promise.allSettled([
      here.members.remove("mem_ada", AUDIT),
      there.members.changeRole("mem_bob", "viewer", AUDIT),
    ])
    const failed = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []))
    expect(failed).toEqual(["last_owner"])
    const left = await here.members.list({ accounts: ["acc_a"] }, null, 10)
    expect(left.filter(({ role }) => role === "owner")).toHaveLength(1)
  })

  test("a user is a member of an existing account at most once", async () => {
    await using database = await databaseOn(engine)
    const here = database.store
    await here.members.add(member("ada", "owner"), AUDIT)
    const again = here.members.add({ ...member("ada", "viewer"), id: "mem_2" }, AUDIT)
    expect(await rejectionOf(again)).toBe("exists")
    const nowhere = here.members.add({ ...member("bob", "owner"), account: "acc_b" }, AUDIT)
    expect(await rejectionOf(nowhere)).toBe("not_found")
    expect(await rejectionOf(here.members.remove("mem_x", AUDIT))).toBe("not_found")
  })

  test("an invitation can be accepted once across all processes until it expires", async () => {
    await using database = await databaseOn(engine)
    const here = database.store
    const there = await database.another()
    await here.invitations.insert(invitation("inv_1"), AUDIT)
    expect(await there.invitations.isInvited("ada@example.com", NOW)).toBe(true)
    expect(await there.invitations.isInvited("ada@example.com", NOW + 1_000)).toBe(false)
    expect(await there.invitations.findByToken("hash of inv_1", NOW)).toMatchObject({
      id: "inv_1",
    })
    expect(await there.invitations.findByToken("hash of inv_1", NOW + 1_000)).toBeNull()
    const late = here.invitations.accept("inv_1", member("late", "member", NOW + 1_000), AUDIT)
    expect(await rejectionOf(late)).toBe("not_found")
    const outcomes = await Promise.allSettled([
      here.invitations.accept("inv_1", member("ada", "member"), AUDIT),
      there.invitations.accept("inv_1", member("eve", "member"), AUDIT),
    ])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
    expect(await here.members.list({}, null, 10)).toHaveLength(1)
    expect(await here.invitations.list(null, NOW, null, 10)).toEqual([])
  })

  test("open invitations to an email address are listed page by page", async () => {
    await using database = await databaseOn(engine)
    const { invitations } = database.store
    for (const id of ["inv_1", "inv_2", "inv_3"]) {
      await invitations.insert(invitation(id), AUDIT)
    }
    const other = { ...invitation("inv_4"), email: "bob@example.com" }
    await invitations.insert(other, AUDIT)
    await invitations.remove("inv_2", NOW, AUDIT)
    const ids = async (...order: Parameters<typeof invitations.listTo>) =>
      (await invitations.listTo(...order)).map(({ id }) => id)
    expect(await ids("ada@example.com", NOW, null, 10)).toEqual(["inv_1", "inv_3"])
    const [first] = await invitations.listTo("ada@example.com", NOW, null, 1)
    const after = { at: first?.createdAt ?? 0, id: "inv_1" }
    expect(await ids("ada@example.com", NOW, after, 10)).toEqual(["inv_3"])
    expect(await ids("bob@example.com", NOW, null, 10)).toEqual(["inv_4"])
    expect(await ids("ada@example.com", NOW + 1_000_000_000, null, 10)).toEqual([])
  })

  test("an invitation stays open if its user cannot be added", async () => {
    await using database = await databaseOn(engine)
    const here = database.store
    await here.members.add(member("ada", "viewer"), AUDIT)
    await here.invitations.insert(invitation("inv_1"), AUDIT)
    const order = { ...member("ada", "member"), id: "mem_2" }
    expect(await rejectionOf(here.invitations.accept("inv_1", order, AUDIT))).toBe("exists")
    expect(await here.invitations.find("inv_1", NOW)).not.toBeNull()
  })

  test("member lists contain the requested accounts and users page by page", async () => {
    await using database = await databaseOn(engine)
    const here = database.store
    await here.accounts.create({ id: "acc_b", name: "b", createdAt: 1 }, AUDIT)
    await here.members.add(member("ada", "owner", NOW), AUDIT)
    await here.members.add(member("bob", "viewer", NOW), AUDIT)
    await here.members.add(
      { ...member("ada", "viewer", NOW + 1), id: "mem_b", account: "acc_b" },
      AUDIT,
    )
    const ids = async (...order: Parameters<Store["members"]["list"]>) =>
      (await here.members.list(...order)).map(({ id }) => id)
    expect(await ids({}, null, 10)).toEqual(["mem_ada", "mem_bob", "mem_b"])
    expect(await ids({ accounts: ["acc_b"] }, null, 10)).toEqual(["mem_b"])
    expect(await ids({ accounts: [] }, null, 10)).toEqual([])
    expect(await ids({ users: ["ada"] }, null, 10)).toEqual(["mem_ada", "mem_b"])
    expect(await ids({}, { at: NOW, id: "mem_ada" }, 1)).toEqual(["mem_bob"])
  })
}
