import { describe, expect, test } from "bun:test"
import { Node, type NodeListeners } from "../../src/ledger/node.ts"
import type { Store } from "../../src/store/store.ts"
import { ENGINES } from "../store/engines.ts"
import { TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

/** Term of a lease in milliseconds. */
const TERM = 900

/** Returns the store of a node that can be disconnected from the database. */
function cut(store: Store, isCut: () => boolean): Store {
  const poll: Store["nodes"]["poll"] = async (...parameters) => {
    if (isCut()) throw new Error("cut off")
    return store.nodes.poll(...parameters)
  }
  return { ...store, nodes: { ...store.nodes, poll } }
}

function listeners(own: Partial<NodeListeners> = {}): NodeListeners {
  return {
    onChanges: async () => {},
    onRejoined: async () => {},
    onExpired() {},
    onFailure() {},
    ...own,
  }
}

for (const engine of ENGINES) {
  describe(`${engine.name}: a lease with a term`, () => {
    test("prevents spending by a disconnected node before another node can lease its credits", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = await database.account("a", 100n)
      const ledger = await database.ledger("cut off")
      const options = { leaseTerm: TERM, pollIntervalMs: 20 }
      let isCut = false
      const rejoined: string[] = []
      const store = cut(database.store, () => isCut)
      const own = listeners({
        onRenewed: (moment) => ledger.spendUntil(moment),
        async onRejoined(id) {
          rejoined.push(id)
          ledger.rejoin(id)
        },
      })
      await using _ = await Node.join(store, "cut off", own, options)
      await ledger.lease(payer, 100n)
      expect(ledger.tryHold(database.order(payer, 10n))).toBeDefined()
      expect((await database.store.accounts.find("a"))?.leased).toBe(100n)

      isCut = true
      await using other = await Node.join(await database.another(), "other", listeners(), options)
      await until(async () => {
        // At no time may this node spend credits that the other node can lease.
        const isSpending = ledger.available(payer) > 0n
        const isFree = (await database.store.accounts.find("a"))?.leased === 0n
        expect(isSpending && isFree).toBe(false)
        return isFree
      })
      expect(other.id).toBe("other")
      expect(ledger.failure).toMatchObject({ code: "unavailable" })

      isCut = false
      await until(() => ledger.failure === undefined)
      expect(rejoined).toEqual(["cut off.2"])
      await until(async () => {
        const held = await ledger.extend(payer, 5n, () => ledger.tryHold(database.order(payer, 5n)))
        return held !== undefined
      })
    })

    test("rejects requests as soon as its term has ended, even if enough credits are leased", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = await database.account("a", 100n)
      const ledger = await database.ledger("late")
      await ledger.lease(payer, 100n)
      ledger.spendUntil(performance.now() - 1)
      const hold = () => ledger.tryHold(database.order(payer, 10n))
      await expect(ledger.extend(payer, 10n, hold)).rejects.toMatchObject({ code: "unavailable" })
      await expect(ledger.lease(payer, 10n)).rejects.toMatchObject({ code: "unavailable" })
      ledger.spendUntil(performance.now() + 60_000)
      expect(await ledger.extend(payer, 10n, hold)).toBeDefined()
      expect(await ledger.extend(payer, 10n, () => undefined)).toBeUndefined()
    })

    test("remains valid even if another node has a shorter lease term", async () => {
      if (engine.name !== "PostgreSQL") return
      await using database = await TestDatabase.on(engine)
      const { nodes } = database.store
      const patient = { id: "patient", process: 1, host: "h", beatAt: 0, machine: null }
      await nodes.join({ ...patient, leaseTerm: 60_000 })
      await nodes.join({ ...patient, id: "quick", leaseTerm: 100 })
      const options = { leaseTerm: 100, pollIntervalMs: 20 }
      await using _ = await Node.join(database.store, "other", listeners(), options)
      await until(async () => (await nodes.list()).every(({ id }) => id !== "quick"))
      expect((await nodes.poll("patient", null)).known).toBe(true)
    })

    test("remains with a node that sends a heartbeat while it is being removed", async () => {
      await using database = await TestDatabase.on(engine)
      const { nodes } = database.store
      await nodes.join({ id: "a", process: 1, host: "h", beatAt: Date.now(), machine: null })
      expect(await nodes.remove("a", Date.now(), TERM)).toEqual([])
      expect((await nodes.poll("a", null)).known).toBe(true)
    })
  })
}
