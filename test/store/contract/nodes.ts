import { describe, expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import type { Engine } from "../engines.ts"

function node(id: string) {
  return { id, process: 1, host: "test", beatAt: 1, machine: null }
}

/** Tests that an engine fulfills this contract. */
export function nodeContract(engine: Engine): void {
  describe("a node", () => {
    test("appears in the list after it joins, and disappears after its removal", async () => {
      await using database = await TestDatabase.on(engine)
      const { nodes } = database.store
      const other = await database.another()
      await nodes.join(node("one"))
      await other.nodes.join(node("two"))
      expect((await nodes.list()).map(({ id }) => id).toSorted()).toEqual(["one", "two"])
      expect(await nodes.poll("one", 50)).toMatchObject({ known: true, nodes: 2, recalls: [] })
      expect(await other.nodes.list()).toContainEqual({
        ...node("one"),
        beatAt: expect.any(Number),
      })
      expect(await other.nodes.remove("one", 60)).toEqual([])
      expect(await nodes.poll("one", null)).toMatchObject({ known: false, nodes: 1 })
    })

    test("counts as one machine together with nodes that share its memory", async () => {
      await using database = await TestDatabase.on(engine)
      const { nodes } = database.store
      await nodes.join({ ...node("one"), memory: "m" })
      await nodes.join({ ...node("two"), memory: "m" })
      expect(await nodes.poll("one", null)).toMatchObject({ nodes: 2, machines: 1 })
      await nodes.join({ ...node("three"), memory: "other" })
      // The version of this node does not report its machine.
      await nodes.join(node("four"))
      expect(await nodes.poll("one", null)).toMatchObject({ nodes: 4, machines: 3 })
    })

    test("reads changes of keys and settings at its next poll", async () => {
      await using database = await TestDatabase.on(engine)
      const { store } = database
      await store.nodes.join(node("one"))
      const first = await store.nodes.poll("one", null)
      await database.account("a", 0n)
      await database.key("k", "a", null)
      const second = await store.nodes.poll("one", null)
      expect(second.revision).toBeGreaterThan(first.revision)
      const change = { section: "setting", id: "multiplier", body: "2", encrypted: null } as const
      await store.settings.change([{ ...change, replaces: null }], 5, AUDIT)
      const third = await store.nodes.poll("one", null)
      expect(third.settingsRevision).toBeGreaterThan(second.settingsRevision)
    })

    test("returns its leases when it is removed, and its holds expire", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = await database.account("a", 100n)
      const ledger = await database.ledger("one")
      await ledger.lease(payer, 10n)
      expect((await database.store.accounts.find("a"))?.leased).toBeGreaterThan(0n)
      const hold = { request: "r", account: "a", key: "k", amount: 4n, at: 5, receipt: "{}" }
      await database.store.settlements.post("one", { postings: [], opened: [hold], closed: [] })
      expect(await database.store.nodes.remove("one", 60)).toEqual([hold])
      expect(await database.store.settlements.listHolds("a")).toEqual([])
      expect(await database.store.accounts.find("a")).toMatchObject({ balance: 100n, leased: 0n })
      expect(await database.store.settlements.findReceipt("r")).toMatchObject({ entry: null })
    })
  })
}
