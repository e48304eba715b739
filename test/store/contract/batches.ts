import { expect, test } from "bun:test"
import { newKeyRecord } from "../../../src/management/keys.ts"
import type { BatchStep } from "../../../src/store/batches.ts"
import { AUDIT } from "../audit-record.ts"
import { type Engine, rejectionOf } from "../engines.ts"
import { TestDatabase } from "../test-database.ts"

const audit = AUDIT

function keyStep(id: string, account: string): BatchStep {
  const secret = { hash: `hash of ${id}`, hint: "abcd", createdAt: 1, expiresAt: null }
  return { kind: "key.create", audit, key: newKeyRecord({ account, name: id }, id, secret, 1) }
}

const STEPS: readonly BatchStep[] = [
  { kind: "account.create", audit, account: { id: "acc", name: "one", createdAt: 1 } },
  { kind: "account.change", audit, id: "acc", change: { state: "paused" } },
  {
    kind: "account.entry",
    audit,
    entry: { account: "acc", kind: "grant", amount: 9n, at: 1, note: "note", author: null },
  },
  keyStep("key", "acc"),
  { kind: "key.change", audit, id: "key", change: { pausedAt: 5 } },
]

/** Tests that an engine fulfills this contract. */
export function batchContract(engine: Engine): void {
  test("a batch writes every step with its audit record", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    await store.batches.write(STEPS)
    expect(await store.accounts.find("acc")).toMatchObject({ state: "paused", balance: 9n })
    expect(await store.keys.find("key")).toMatchObject({ account: "acc", pausedAt: 5 })
    expect(await store.audit.list({}, null, 100)).toHaveLength(STEPS.length)
  })

  test("a batch writes nothing if a step at any position is rejected", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    const rejected: readonly BatchStep[] = [
      keyStep("other", "no such account"),
      { kind: "key.change", audit, id: "no such key", change: { pausedAt: 5 } },
      { ...keyStep("claimed", "acc"), audit: { ...AUDIT, claim: "of nobody" } },
    ]
    for (const step of rejected) {
      expect(["not_found", "conflict"]).toContain(
        String(await rejectionOf(store.batches.write([...STEPS, step]))),
      )
      expect(await store.accounts.list()).toEqual([])
      expect(await store.keys.find("key")).toBeNull()
      expect(await store.audit.list({}, null, 100)).toEqual([])
    }
    await store.batches.write(STEPS)
    expect(await rejectionOf(store.batches.write(STEPS))).toBe("exists")
  })
}
