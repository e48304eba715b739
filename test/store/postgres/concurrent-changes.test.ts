import { expect, test } from "bun:test"
import type { Reversal } from "../../../src/store/payments.ts"
import { budgetOwner } from "../../../src/accounting/budget-periods.ts"
import { AUDIT } from "../audit-record.ts"
import { END_OF_THE_LOG, LockedDatabase } from "./locking-hand.ts"

const NOW = 1_800_000_000_000
const PAYMENT = { id: "pay", account: "a", amount: 9n, at: 3, note: null }
const CARD = { intent: "pi", units: 9n, currency: "eur" }
const REFUND: Reversal = { id: "re", intent: "pi", kind: "refund", units: 9n, isUndone: false }

function member(user: string) {
  return { id: user, account: "a", user, role: "owner", joinedAt: NOW } as const
}

test("simultaneous changes of different fields of an account are both applied", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  await database.account("a", 0n)
  await locked.meet(
    END_OF_THE_LOG,
    () => store.accounts.update("a", { name: "new" }, AUDIT),
    () => store.accounts.update("a", { storesContent: true }, AUDIT),
  )
  expect(await store.accounts.find("a")).toMatchObject({ name: "new", storesContent: true })
})

test("only one of two accounts with the same name is created", async () => {
  await using locked = await LockedDatabase.open()
  const { store } = locked
  const outcomes = await locked.meet(
    END_OF_THE_LOG,
    () => store.accounts.create({ id: "a", name: "one", createdAt: 1 }, AUDIT),
    () => store.accounts.create({ id: "b", name: "one", createdAt: 1 }, AUDIT),
  )
  expect(outcomes).toMatchObject([{ id: "a" }, "exists"])
  expect(await store.accounts.list()).toHaveLength(1)
})

test("simultaneous changes of a key and of its account do not wait for each other", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  await database.account("a", 0n)
  await database.key("k", "a", 5n)
  await locked.meet(
    "SELECT 1 FROM balances WHERE owner = 'k' FOR UPDATE",
    () => store.keys.update("k", { budget: 9n }, AUDIT),
    () => store.accounts.update("a", { storesContent: true }, AUDIT),
  )
  expect(await store.keys.find("k")).toMatchObject({ budget: 9n, storesContent: true })
  expect(await locked.countDeadlocks()).toBe(0n)
})

test("simultaneous changes of different fields of a key are both applied", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  await database.account("a", 0n)
  await database.key("k", "a", 5n)
  await locked.meet(
    END_OF_THE_LOG,
    () => store.keys.update("k", { name: "new" }, AUDIT),
    () => store.keys.update("k", { budget: 7n }, AUDIT),
  )
  // When three steps wait for a row, the last of them may run second.
  await locked.meet(
    END_OF_THE_LOG,
    () => store.keys.update("k", { tokensPerMinute: 9 }, AUDIT),
    () => store.keys.revoke("k", 10, AUDIT),
  )
  expect(await store.keys.find("k")).toMatchObject({
    name: "new",
    budget: 7n,
    tokensPerMinute: 9,
    revokedAt: 10,
  })
})

test("a budget period that starts while its limit changes has the new limit", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  await database.account("a", 100n)
  await database.key("k", "a", null, { dailyBudget: 10n })
  await database.ledger("node")
  const owner = budgetOwner("k", "day", Date.now())
  const outcomes = await locked.meet(
    END_OF_THE_LOG,
    () => store.keys.update("k", { dailyBudget: 3n }, AUDIT),
    () => store.leases.take({ node: "node", owner, wanted: 1n, min: 1n }),
  )
  expect(outcomes[1]).toMatchObject({ granted: 3n, posted: 3n })
})

test("a later change of a key is never visible before an earlier change", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  const stores = [store, await database.another(), await database.another()]
  await database.account("a", 0n)
  for (const id of ["k0", "k1", "k2"]) await database.key(id, "a", null)
  const seen = new Map<string, string>()
  let revision = 0
  const look = async () => {
    const changed = await store.keys.listChanged(revision)
    expect(changed.revision).toBeGreaterThanOrEqual(revision)
    revision = changed.revision
    for (const { id, name } of changed.keys) seen.set(id, name)
  }
  const state = { isChanging: true }
  const looking = (async () => {
    while (state.isChanging) await look()
  })()
  await Promise.all(
    stores.map(async ({ keys }, index) => {
      for (let n = 1; n <= 15; n++) await keys.update(`k${index}`, { name: `name ${n}` }, AUDIT)
    }),
  )
  state.isChanging = false
  await looking
  await look()
  expect([...seen.values()]).toEqual(["name 15", "name 15", "name 15"])
})

test("only one of two remaining owners can leave an account if both try simultaneously", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  await database.account("a", 0n)
  for (const user of ["ada", "bob"]) await store.members.add(member(user), AUDIT)
  const outcomes = await locked.meet(
    END_OF_THE_LOG,
    () => store.members.remove("ada", AUDIT),
    () => store.members.changeRole("bob", "viewer", AUDIT),
  )
  expect(outcomes).toMatchObject([{ id: "ada" }, "last_owner"])
})

test("only one of two users who accept one invitation simultaneously becomes a member", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  await database.account("a", 0n)
  const times = { createdAt: NOW, expiresAt: NOW + 1_000 }
  const invitation = { id: "inv", account: "a", email: "a@example.com", role: "viewer" } as const
  await store.invitations.insert(
    { ...invitation, ...times, invitedBy: "olga", tokenHash: "hash" },
    AUDIT,
  )
  const outcomes = await locked.meet(
    END_OF_THE_LOG,
    () => store.invitations.accept("inv", member("ada"), AUDIT),
    () => store.invitations.accept("inv", member("eve"), AUDIT),
    () => store.invitations.remove("inv", NOW, AUDIT),
  )
  expect(outcomes).toMatchObject([{ id: "ada" }, "not_found", "not_found"])
  expect(await store.members.list({}, null, 9)).toHaveLength(1)
})

test("one of two simultaneous changes of the same setting is rejected, but a change of another setting is not", async () => {
  await using locked = await LockedDatabase.open()
  const { store } = locked
  const change = (id: string, body: string) =>
    store.settings.change(
      [{ section: "setting", id, body, encrypted: null, replaces: null }],
      5,
      AUDIT,
    )
  const outcomes = await locked.meet(
    END_OF_THE_LOG,
    () => change("x", "1"),
    () => change("x", "2"),
    () => change("y", "3"),
  )
  const { revision, records } = await store.settings.read()
  expect(outcomes).toMatchObject([{ revision: 1 }, "conflict", { revision: 2 }])
  expect({ revision, bodies: records.map(({ body }) => body) }).toEqual({
    revision: 2,
    bodies: ["1", "3"],
  })
})

test("simultaneous requests redeem a code with three uses exactly three times", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  const stores = [store, await database.another(), await database.another()]
  const accounts = Array.from({ length: 20 }, (_, index) => `a${index}`)
  await Promise.all(accounts.map((id) => database.account(id, 0n)))
  const amounts = { amount: 5n, uses: 3, createdAt: 10, expiresAt: null, author: null }
  await store.codes.create(
    { id: "code", hash: "hash", hint: "WXYZ", note: null, ...amounts },
    AUDIT,
  )
  const outcomes = await Promise.all(
    accounts.map((account, index) =>
      (stores[index % 3] ?? store).codes
        .redeem({ hash: "hash", account, at: 20, author: null }, AUDIT)
        .then(
          ({ amount }) => amount,
          (error: unknown) => Reflect.get(Object(error), "code"),
        ),
    ),
  )
  expect(outcomes.filter((outcome) => outcome === 5n)).toHaveLength(3)
  expect(outcomes.filter((outcome) => outcome === "insufficient")).toHaveLength(17)
  expect(await store.codes.find("code")).toMatchObject({ used: 3 })
  await locked.expectWholeLedger()
})

test("a payment that is reported twice simultaneously creates one entry", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  await database.account("a", 0n)
  const outcomes = await locked.meet(
    END_OF_THE_LOG,
    () => store.payments.add(PAYMENT, AUDIT),
    () => store.payments.add({ ...PAYMENT, at: 4 }, AUDIT),
  )
  expect(outcomes).toMatchObject([{ amount: 9n }, "exists"])
  await locked.expectWholeLedger()
})

test("simultaneous requests record the reversal of a payment once", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  await database.account("a", 0n)
  await store.payments.add({ ...PAYMENT, card: CARD }, AUDIT)
  await store.payments.noteReversal(REFUND)
  const settlement = { intent: "pi", amount: 9n, at: 5, note: "refund", author: "stripe" }
  const outcomes = await locked.meet(
    END_OF_THE_LOG,
    () => store.payments.settleReversal(settlement, AUDIT),
    () => store.payments.settleReversal(settlement, AUDIT),
    () => store.payments.noteReversal({ ...REFUND, isUndone: true }),
  )
  expect(outcomes).toMatchObject([{ amount: 9n }, "exists", { amount: -9n }])
  await locked.expectWholeLedger()
})

test("a change is not applied if another process takes over its idempotency key", async () => {
  await using locked = await LockedDatabase.open()
  const { store } = locked
  await locked.run(
    "INSERT INTO idempotency (scope, key, fingerprint, request, node, claimed_at, rights, state, size) VALUES ('s', 'k', '', 'req_1', 'n', 1, '', 'running', 0)",
  )
  const outcomes = await locked.meet("UPDATE idempotency SET request = 'req_2'", () =>
    store.accounts.create({ id: "a", name: "one", createdAt: 1 }, { ...AUDIT, claim: "req_1" }),
  )
  expect(outcomes).toEqual(["conflict"])
  expect(await store.accounts.find("a")).toBeNull()
})

test("simultaneous grants, leases and refunds keep the balance of an account exact and never negative", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  const stores = [store, await database.another(), await database.another()]
  await database.account("a", 50n)
  for (const node of ["n0", "n1", "n2"]) await database.ledger(node)
  const payments = Array.from({ length: 6 }, (_, index) => `pi${index}`)
  for (const intent of payments) {
    const card = { ...CARD, intent, units: 40n }
    await store.payments.add({ ...PAYMENT, id: intent, amount: 40n, card }, AUDIT)
  }
  const leasing = stores.map(async ({ leases }, index) => {
    const node = `n${index}`
    for (let round = 0; round < 12; round++) {
      const { granted } = await leases.take({ node, owner: "a", wanted: 30n, min: 1n })
      if (granted > 0n) await leases.giveBack(node, [{ owner: "a", amount: granted }])
    }
  })
  const refunding = payments.map(async (intent, index) => {
    const { payments: to } = stores[index % 3] ?? store
    const { amount } = await to.noteReversal({ ...REFUND, id: intent, intent, units: 40n })
    await to.settleReversal({ intent, amount, at: 5, note: "refund", author: "stripe" }, AUDIT)
  })
  const granting = [1, 2, 3, 4].map(() => database.grant("a", 5n))
  await Promise.all([...leasing, ...refunding, ...granting])
  expect(await store.accounts.find("a")).toMatchObject({ balance: 70n, leased: 0n, debt: 0n })
  await locked.expectWholeLedger()
})

test("a budget that is reduced while nodes return their leases ends at the new limit", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  await database.account("a", 100n)
  await database.key("k", "a", 90n)
  for (const node of ["n0", "n1"]) await database.ledger(node)
  for (const node of ["n0", "n1"]) {
    await store.leases.take({ node, owner: "k", wanted: 30n, min: 30n })
  }
  await locked.meet(
    "SELECT 1 FROM leases WHERE node = 'n0' FOR UPDATE",
    () => store.leases.giveBack("n0", [{ owner: "k", amount: 30n }]),
    () => store.leases.giveBack("n1", [{ owner: "k", amount: 30n }]),
    () => store.keys.update("k", { budget: 10n }, AUDIT),
  )
  expect(await store.keys.find("k")).toMatchObject({ budget: 10n, budgetLeft: 10n })
  expect(
    await locked.run("SELECT posted, leased, allotted FROM balances WHERE owner = 'k'"),
  ).toEqual([{ posted: 10n, leased: 0n, allotted: 10n }])
  await locked.meet(
    END_OF_THE_LOG,
    () => store.keys.update("k", { budget: 4n }, AUDIT),
    () => store.leases.take({ node: "n0", owner: "k", wanted: 9n, min: 1n }),
  )
  expect(await store.keys.find("k")).toMatchObject({ budget: 4n, budgetLeft: 4n })
  await locked.expectWholeLedger()
})

test("the removal of a node causes no deadlock", async () => {
  await using locked = await LockedDatabase.open()
  const { database, store } = locked
  for (const account of ["a", "z"]) await database.account(account, 60n)
  await database.key("b", "a", 60n)
  for (const node of ["gone", "here", "third"]) await database.ledger(node)
  const take = (node: string, owner: string) =>
    store.leases.take({ node, owner, wanted: 20n, min: 1n })
  await Promise.all([take("gone", "z"), take("here", "z"), take("here", "b"), take("third", "b")])
  await store.keys.update("b", { budget: 5n }, AUDIT)
  const outcomes = await locked.meet(
    "SELECT 1 FROM balances WHERE owner = 'z' FOR UPDATE",
    () => store.nodes.remove("gone", Date.now()),
    () =>
      store.leases.giveBack("here", [
        { owner: "z", amount: 20n },
        { owner: "b", amount: 20n },
      ]),
  )
  expect(outcomes).toEqual([[], undefined])
  expect(await locked.countDeadlocks()).toBe(0n)
  expect(await store.accounts.find("z")).toMatchObject({ leased: 0n })
})
