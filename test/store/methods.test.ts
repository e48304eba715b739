import { expect, test } from "bun:test"
import { methodNames, methodOf } from "../../src/store/sqlite/methods.ts"
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts"
import { databaseAt, databaseOf } from "../../src/store/installation-database.ts"
import { openServingStore } from "../../src/store/sqlite/serving-store.ts"
import { DatabaseWatch } from "../../src/store/sqlite/database-watch.ts"
import { openThreadedStore } from "../../src/store/sqlite/threaded-store.ts"
import type { Store } from "../../src/store/store.ts"
import { AUDIT } from "./audit-record.ts"
import { TemporaryDirectory } from "./book.ts"

test("however a book is opened, all that the store can do is there", async () => {
  using directory = new TemporaryDirectory()
  const direct = openSqliteStore(directory.database)
  const names = methodNames(direct.methods)
  direct.close()
  expect(Object.values(names).flat().length).toBeGreaterThan(60)
  await using alone = await databaseOf({ data: directory.path }).openStore()
  await using threaded = await openThreadedStore(directory.database)
  await using serving = await openServingStore(directory.database, false)
  const watched = new DatabaseWatch(directory.database, () => {}).over(serving)
  for (const store of [alone, threaded, serving, watched]) {
    expect(methodNames(store)).toMatchObject(names)
  }
})

test("a thread is not asked for what it has not", () => {
  const methods = { accounts: { find: () => null } }
  expect(methodOf(methods, "accounts", "find")()).toBeNull()
  for (const [group, name] of [
    ["accounts", "list"],
    ["codes", "find"],
  ] as const) {
    expect(() => methodOf(methods, group, name)).toThrow(`no method '${group}.${name}'`)
  }
})

const NOW = 1_700_000_000_000

/** One call of each method that changes what people manage, in an order in which all succeed. */
const CHANGES: readonly ((store: Store) => Promise<unknown>)[] = [
  ({ accounts }) => accounts.create({ id: "acc", name: "one", createdAt: 1 }, AUDIT),
  ({ accounts }) => accounts.update("acc", { name: "two" }, AUDIT),
  ({ entries }) =>
    entries.add(
      { account: "acc", kind: "grant", amount: 9n, at: 1, note: null, author: null },
      AUDIT,
    ),
  ({ codes }) =>
    codes.create(
      {
        id: "code",
        hash: "hash of the code",
        hint: "abcd",
        note: null,
        amount: 5n,
        uses: 1,
        createdAt: 1,
        expiresAt: null,
        author: null,
      },
      AUDIT,
    ),
  ({ codes }) =>
    codes.redeem({ hash: "hash of the code", account: "acc", at: 2, author: null }, AUDIT),
  ({ codes }) => codes.revoke("code", 3, AUDIT),
  ({ payments }) =>
    payments.add(
      {
        id: "pay",
        account: "acc",
        amount: 4n,
        at: 4,
        note: null,
        card: { intent: "pi", units: 4n, currency: "eur" },
      },
      AUDIT,
    ),
  async ({ payments }) => {
    await payments.noteReversal({
      id: "re",
      intent: "pi",
      kind: "refund",
      units: 4n,
      isUndone: false,
    })
    const settlement = { intent: "pi", amount: 4n, at: 5, note: "refund", author: "stripe" }
    return payments.settleReversal(settlement, AUDIT)
  },
  ({ keys }) =>
    keys.insert(
      {
        id: "key",
        account: "acc",
        name: "key",
        models: null,
        aliases: null,
        budget: null,
        dailyBudget: null,
        monthlyBudget: null,
        requestsPerMinute: null,
        tokensPerMinute: null,
        createdAt: 1,
        expiresAt: null,
        origins: null,
        secret: { hash: "first", hint: "abcd", createdAt: 1, expiresAt: null },
      },
      AUDIT,
    ),
  ({ keys }) => keys.update("key", { name: "renamed" }, AUDIT),
  ({ keys }) =>
    keys.rotate("key", { hash: "second", hint: "efgh", createdAt: 2, expiresAt: null }, 9, AUDIT),
  ({ keys }) => keys.revoke("key", 10, AUDIT),
  ({ members }) =>
    members.add({ id: "ada", account: "acc", user: "ada", role: "owner", joinedAt: NOW }, AUDIT),
  ({ members }) => members.changeRole("ada", "owner", AUDIT),
  ({ invitations }) => invitations.insert(invitation("first"), AUDIT),
  ({ invitations }) =>
    invitations.accept(
      "first",
      { id: "bob", account: "acc", user: "bob", role: "viewer", joinedAt: NOW },
      AUDIT,
    ),
  ({ members }) => members.remove("bob", AUDIT),
  ({ invitations }) => invitations.insert(invitation("second"), AUDIT),
  ({ invitations }) => invitations.remove("second", NOW, AUDIT),
  ({ settings }) =>
    settings.change(
      [{ section: "setting", id: "deadlines.connect", body: '"5s"', sealed: null, replaces: null }],
      NOW,
      AUDIT,
    ),
]

function invitation(id: string) {
  return {
    id,
    account: "acc",
    email: `${id}@example.com`,
    role: "viewer",
    invitedBy: "ada",
    createdAt: 1,
    expiresAt: NOW + 1_000,
    tokenHash: `hash of ${id}`,
  } as const
}

/** The ways in which an engine opens a ledger. Another engine is held to the same. */
const ENGINES: readonly (readonly [name: string, open: (path: string) => Promise<Store>])[] = [
  ["SQLite", (path) => databaseAt({ engine: "sqlite", path }).openStore()],
  ["SQLite on a thread", openThreadedStore],
]

test.each(ENGINES)(
  "%s: each change of what people manage writes its record, and with a record that is refused nothing",
  async (_, open) => {
    using directory = new TemporaryDirectory()
    await using store = await open(directory.database)
    let records = 0
    for (const change of CHANGES) {
      const broken = withClaim(store, "a claim that nobody has")
      const refused = await change(broken).catch((error: unknown) => error)
      expect(refused).toMatchObject({ name: "StoreError", code: "conflict" })
      await change(store)
      expect(await store.audit.list({}, null, 100)).toHaveLength(++records)
    }
  },
)

/** The same store, each of whose records is refused. */
function withClaim(store: Store, claim: string): Store {
  const groups = Object.entries(store).map(([group, methods]) => [
    group,
    Object.fromEntries(
      Object.entries(methods as Record<string, (...parameters: unknown[]) => unknown>).map(
        ([name, method]) => [
          name,
          (...parameters: unknown[]) =>
            method(...parameters.map((each) => (each === AUDIT ? { ...AUDIT, claim } : each))),
        ],
      ),
    ),
  ])
  return { ...store, ...Object.fromEntries(groups) }
}
