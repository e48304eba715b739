import { expect, test } from "bun:test"
import { verifyAudit } from "../../../src/ledger/verify/audit.ts"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import type { NewAuditRecord } from "../../../src/store/audit.ts"
import type { Store } from "../../../src/store/store.ts"
import { AUDIT } from "../audit-record.ts"
import { type Engine, rejectionOf } from "../engines.ts"
import { TestDatabase } from "../test-database.ts"

const ADA = "user_ada"
const EMAIL = "ada@example.com"
const ERASED = { person: ADA, addresses: [EMAIL], addressHashes: ["hash of ada"], at: 9 }
const ERASURE: NewAuditRecord = { ...AUDIT, action: "user.erase", target: ADA }

/** Returns a record in the form before names were encrypted. */
function inClear(details: Partial<NewAuditRecord>): NewAuditRecord {
  return { ...AUDIT, actorKind: "user", address: "203.0.113.7", ...details }
}

function grantBy(author: string) {
  return { account: "a", kind: "grant", amount: 5n, at: 3, note: null, author } as const
}

async function expectRight(store: Store): Promise<void> {
  expect(await verifyAudit(store)).toMatchObject({ problem: null })
  expect((await verifyLedgers(store)).problems).toEqual([])
}

/** Tests that an engine fulfills this contract. */
export function personKeyContract(engine: Engine): void {
  test("a person has one encryption key on all nodes, and none after erasure", async () => {
    await using database = await TestDatabase.on(engine)
    const other = await database.another()
    const { personKeys } = database.store
    const first = { person: ADA, key: "first" }
    expect(await personKeys.keyOf(first)).toEqual(first)
    expect(await other.personKeys.keyOf({ person: ADA, key: "second" })).toEqual(first)
    const address = { person: "address_1", key: "third" }
    expect(await personKeys.keyOfAddress("hash of ada", address)).toEqual(address)
    const again = await other.personKeys.keyOfAddress("hash of ada", { person: "x", key: "y" })
    expect(again).toEqual(address)
    expect(await personKeys.findAddress("hash of ada")).toBe("address_1")
    expect(await personKeys.keys([ADA, "address_1", "nobody"])).toHaveLength(2)

    await personKeys.erase(ERASED, ERASURE)
    expect(await other.personKeys.keys([ADA, "address_1"])).toEqual([{ person: ADA, key: null }])
    expect(await other.personKeys.keyOf({ person: ADA, key: "anew" })).toEqual({
      person: ADA,
      key: null,
    })
    expect(await other.personKeys.findAddress("hash of ada")).toBeNull()
    // If the email address is invited again later, it belongs to another person.
    const later = { person: "address_2", key: "fourth" }
    expect(await personKeys.keyOfAddress("hash of ada", later)).toEqual(later)
  })

  test("an erasure removes readable names, and the ledger still passes verification", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    await database.account("a", 0n)
    const own = inClear({ actorId: ADA, actorName: EMAIL, action: "key.create", target: "key_1" })
    await store.audit.append(own)
    const document = { id: ADA, name: "Ada", email: EMAIL, accounts: [{ id: "a", name: "Ada" }] }
    const change = { action: "user.change", target: ADA, before: JSON.stringify(document) }
    const byBob = inClear({ actorId: "user_bob", actorName: "bob@example.com", ...change })
    await store.audit.append(byBob)
    await store.audit.append(inClear({ actorName: "ADA@example.com", action: "session.reject" }))
    await store.audit.append(inClear({ actorName: "adamant@example.com", action: "other" }))
    const told = JSON.stringify({ channel: "email", address: "Ada@Example.com" })
    await store.audit.append(inClear({ actorId: "user_bob", actorName: "bob", after: told }))
    await store.entries.add(grantBy(EMAIL), AUDIT)
    await store.entries.add(grantBy("bob@example.com"), AUDIT)
    const before = await store.audit.list({}, null, 100)
    await expectRight(store)

    await store.personKeys.erase(ERASED, ERASURE)
    await expectRight(store)
    const [erasure, ...records] = await store.audit.list({}, null, 100)
    expect(JSON.parse(erasure?.after ?? "{}")).toMatchObject({
      redacted: { records: 4, entries: 1 },
    })
    expect(records.map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash))
    const text = JSON.stringify([erasure, records])
    expect(text.toLowerCase()).not.toContain(EMAIL)
    expect(text).toContain("adamant@example.com")
    expect(records.toReversed().slice(1, 4)).toMatchObject([
      { actorId: ADA, actorName: "erased", address: null, target: "key_1" },
      {
        actorName: "bob@example.com",
        address: "203.0.113.7",
        before: JSON.stringify({
          ...document,
          name: "erased",
          email: "erased",
        }),
      },
      { actorName: "erased", address: null },
    ])
    const authors = (await store.entries.list("a", 0, 10)).map(({ author }) => author)
    expect(authors).toEqual([ADA, "bob@example.com"])

    // Erases the person once more, and then another person in a record from which one person was erased.
    await store.personKeys.erase(ERASED, ERASURE)
    const bob = { person: "user_bob", addresses: ["bob@example.com"], addressHashes: [], at: 10 }
    await store.personKeys.erase(bob, { ...ERASURE, target: "user_bob" })
    await expectRight(store)
    expect(JSON.stringify(await store.audit.list({}, null, 100))).not.toContain("bob@example.com")
  })

  test("an erasure removes a person's memberships and invitations", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    await database.account("a", 0n)
    const ada = { id: "mem_1", account: "a", user: ADA, role: "owner", joinedAt: 1 } as const
    await store.members.add(ada, AUDIT)
    const invitation = {
      id: "inv_1",
      account: "a",
      email: EMAIL,
      role: "viewer",
      invitedBy: "bob@example.com",
      createdAt: 1,
      expiresAt: 100,
      tokenHash: "hash",
    } as const
    await store.invitations.insert(invitation, AUDIT)
    const byAda = { id: "inv_2", email: "eve@example.com", invitedBy: EMAIL, tokenHash: "other" }
    await store.invitations.insert({ ...invitation, ...byAda }, AUDIT)
    const records = await store.audit.list({}, null, 100)
    expect(await rejectionOf(store.personKeys.erase(ERASED, ERASURE))).toBe("last_owner")
    expect(await store.audit.list({}, null, 100)).toEqual(records)
    expect(await store.invitations.find("inv_1", 2)).not.toBeNull()

    const { notices } = store
    const mail = {
      id: "target",
      account: "a",
      channel: "email",
      hint: EMAIL,
      encrypted: "x",
    } as const
    await notices.insertTarget({ ...mail, types: null, balanceBelow: null, createdAt: 1 }, AUDIT)
    const data = JSON.stringify({ asked_by: EMAIL, text: "for ada@example.com.au" })
    const test = { id: "n", account: "a", type: "test", at: 1, data }
    await notices.raise(test, { name: "mark", from: null, to: "told" })

    const bob = { ...ada, id: "mem_2", user: "user_bob" }
    await store.members.add(bob, AUDIT)
    await store.personKeys.erase(ERASED, ERASURE)
    expect(await store.members.list({ accounts: ["a"] }, null, 10)).toMatchObject([bob])
    expect(await store.invitations.find("inv_1", 2)).toBeNull()
    expect(await store.invitations.find("inv_2", 2)).toMatchObject({ invitedBy: ADA })

    expect(await notices.targets(["a"])).toEqual([])
    const [notice] = await notices.list(null, null, 10)
    expect(JSON.parse(notice?.data ?? "{}")).toEqual({ ...JSON.parse(data), asked_by: ADA })

    // A closed account needs no owner.
    await store.accounts.update("a", { state: "closed" }, AUDIT)
    await store.personKeys.erase({ ...ERASED, person: "user_bob" }, ERASURE)
    expect(await store.members.list({ accounts: ["a"] }, null, 10)).toEqual([])
  })
}
