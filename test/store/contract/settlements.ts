import { expect, test } from "bun:test"
import { TestDatabase } from "../test-database.ts"
import type { Engine } from "../engines.ts"

/** Held by every engine. */
export function settlementContract(engine: Engine): void {
  test("holds that last are listed, those of other accounts are not", async () => {
    await using database = await TestDatabase.on(engine)
    await database.account("a", 100n)
    const node = { id: "node", process: 1, host: "test", beatAt: 1, machine: null }
    await database.store.nodes.join(node)
    const hold = { request: "r1", account: "a", key: "key", amount: 4n, at: 5, receipt: "{}" }
    const opened = [hold, { ...hold, request: "r2", account: "b" }]
    await database.store.settlements.post("node", { postings: [], opened, closed: [] })
    expect(await database.store.settlements.listHolds("a")).toEqual([hold])
    await database.store.settlements.post("node", { postings: [], opened: [], closed: ["r1"] })
    expect(await database.store.settlements.listHolds("a")).toEqual([])
  })
}
