import { describe, expect, test } from "bun:test"
import { DatabaseWriter } from "../../src/ledger/database-writer.ts"
import { FILE_RETRIES } from "../../src/store/retry-policy.ts"
import { Ledger } from "../../src/ledger/ledger.ts"
import { Node, type NodeListeners } from "../../src/ledger/node.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import type { Store } from "../../src/store/store.ts"
import { ENGINES } from "../store/engines.ts"
import { TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

/** Returns a store whose responses can be lost. */
function answering(store: Store, isHeard: () => boolean): Store {
  const heard = async <T>(response: Promise<T>): Promise<T> => {
    const value = await response
    if (!isHeard()) throw new Error("the connection was lost")
    return value
  }
  const { nodes, settlements } = store
  return {
    ...store,
    nodes: { ...nodes, poll: (...parameters) => heard(nodes.poll(...parameters)) },
    settlements: {
      ...settlements,
      post: (...parameters) => heard(settlements.post(...parameters)),
    },
  }
}

function listeners(ledger: Ledger): NodeListeners {
  return {
    onChanges: ({ recalls }) => ledger.tick(recalls),
    mustRejoin: () => ledger.mustRejoin,
    onLeaving: () => ledger.suspend(),
    onRejoined: (id) => ledger.rejoin(id),
    onRenewed: (moment) => ledger.spendUntil(moment),
    onExpired() {},
    onFailure() {},
  }
}

async function joined(database: TestDatabase, node: string, store: Store): Promise<Ledger> {
  const record = { id: node, process: 1, host: "test", beatAt: Date.now(), machine: null }
  await store.nodes.join(record)
  const usual = new DatabaseWriter(store, { ...FILE_RETRIES, maxWaitMs: 0 })
  return new Ledger(store, node, database.alarms, { usual })
}

for (const engine of ENGINES) {
  describe(`${engine.name}: a node that rejoins`, () => {
    test("requests a lease only after it has received the response to a charge on the old lease", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = await database.account("a", 100n)
      const responses = Promise.withResolvers<void>()
      const { settlements } = database.store
      const post: Store["settlements"]["post"] = async (...parameters) => {
        const posted = await settlements.post(...parameters)
        await responses.promise
        return posted
      }
      const store = { ...database.store, settlements: { ...settlements, post } }
      const ledger = await joined(database, "node", store)
      await ledger.lease(payer, 100n)
      const hold = ledger.tryHold(database.order(payer, 30n))
      if (!hold) throw new Error("nothing was held")
      const settling = ledger.settle(hold, 30n, () => "{}")
      await until(async () => (await database.balanceOf("a")) === 70n)

      await store.nodes.remove("node", Date.now())
      await database.ledger("node.2")
      ledger.rejoin("node.2")
      const leasing = ledger.lease(payer, 70n)
      expect(await Promise.race([leasing, Promise.resolve("waits")])).toBe("waits")
      responses.resolve()
      expect((await settling).charged).toBe(30n)
      expect(await leasing).toBe(true)
      expect(ledger.available(payer)).toBe(70n)
      expect(await store.accounts.find("a")).toMatchObject({ balance: 70n, leased: 70n })
    })

    test("has no lease if the response to a charge was lost, and spends nothing twice", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = await database.account("a", 100n)
      let isCut = false
      const store = answering(database.store, () => !isCut)
      const ledger = await joined(database, "node", store)
      await using node = await Node.join(store, "node", listeners(ledger), {
        leaseTerm: 60_000,
        pollIntervalMs: 20,
      })
      await ledger.lease(payer, 100n)
      const [cut, other] = [30n, 20n].map((amount) => ledger.tryHold(database.order(payer, amount)))
      if (!cut || !other) throw new Error("nothing was held")
      isCut = true
      const failure = await ledger.settle(cut, 30n, () => "{}").catch((error: unknown) => error)
      expect(failure).toMatchObject({ message: "the connection was lost" })
      expect(ledger.failure).toMatchObject({ message: "the connection was lost" })
      // The charge exists although its response was lost.
      expect(ledger.available(payer)).toBe(50n)

      isCut = false
      const ids = async () => (await store.nodes.list()).map(({ id }) => id)
      await until(async () => (await ids()).join() === "node.2")
      expect(node.id).toBe("node.2")
      await until(() => ledger.failure === undefined)
      expect(ledger.available(payer)).toBe(-20n)
      expect(await store.accounts.find("a")).toMatchObject({ balance: 70n, leased: 0n })
      expect((await ledger.settle(other, 20n, () => "{}")).charged).toBe(20n)
      await ledger.lease(payer, 50n)
      expect(ledger.available(payer)).toBe(50n)
      expect(await store.accounts.find("a")).toMatchObject({ balance: 50n, leased: 50n })
      expect((await verifyLedgers(store)).problems).toEqual([])
    })
  })
}
