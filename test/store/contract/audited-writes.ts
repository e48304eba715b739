import { expect, test } from "bun:test"
import type { Store } from "../../../src/store/store.ts"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import { type Engine, rejectionOf } from "../engines.ts"

const NOW = 1_700_000_000_000

/** One call of each method that writes to the audit log. In this order, all calls succeed. */
export const CHANGES: readonly ((store: Store) => Promise<unknown>)[] = [
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
        concurrentRequests: null,
        createdAt: 1,
        createdBy: null,
        expiresAt: null,
        origins: null,
        isReadOnly: false,
        addresses: null,
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
      [
        {
          section: "setting",
          id: "timeouts.connect",
          body: '"5s"',
          encrypted: null,
          replaces: null,
        },
      ],
      NOW,
      AUDIT,
    ),
  ({ notices }) =>
    notices.insertTarget(
      {
        id: "target",
        account: "acc",
        channel: "email",
        hint: "ada@example.com",
        encrypted: "encrypted",
        types: null,
        balanceBelow: null,
        createdAt: NOW,
      },
      AUDIT,
    ),
  ({ notices }) => notices.removeTarget("target", AUDIT),
  ({ backups }) => backups.record({ place: "/mnt", at: NOW, every: null }, AUDIT),
  ({ reconciliations }) =>
    reconciliations.save(
      { provider: "openai", number: 1, at: NOW, body: "{}" },
      [{ provider: "openai", day: 0, amount: 7n }],
      AUDIT,
    ),
  ({ personKeys }) =>
    personKeys.erase({ person: "bob", addresses: [], addressHashes: [], at: NOW }, AUDIT),
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

/** Tests that an engine fulfills this contract. */
export function auditedWriteContract(engine: Engine): void {
  test("a management change writes its audit record, and writes nothing if the record is rejected", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    let records = 0
    for (const change of CHANGES) {
      const broken = withClaim(store, "a claim that nobody has")
      expect(await rejectionOf(change(broken))).toBe("conflict")
      await change(store)
      expect(await store.audit.list({}, null, 100)).toHaveLength(++records)
    }
  })
}

/** Returns the store with a claim, so that each of its records is rejected. */
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
