import { expect, test } from "bun:test"
import type { HoldRecord, Posting, ReceiptFilter } from "../../../src/store/settlements.ts"
import type { Store } from "../../../src/store/store.ts"
import { TestDatabase } from "../test-database.ts"
import type { Engine } from "../engines.ts"

const EVERYTHING: ReceiptFilter = { from: 0, until: 1_000 }

function postingOf(request: string, change: Partial<Posting> = {}): Posting {
  const charge = { request, account: "a", key: "key", budgets: [], amount: 5n, writtenOff: [] }
  return { ...charge, at: 100, receipt: `{"of":"${request}"}`, ...change }
}

/** Settles requests that were charged, were not charged, expired, or were settled after they had expired. */
async function settleAll(store: Store): Promise<void> {
  const node = { id: "node", process: 1, host: "test", beatAt: 1, machine: null }
  await store.nodes.join(node)
  for (const owner of ["a", "b"])
    await store.leases.take({ node: "node", owner, wanted: 50n, min: 1n })
  const hold = (request: string): HoldRecord => ({ ...postingOf(request), amount: 1n, at: 300 })
  const postings = [
    postingOf("req_4", { writtenOff: [{ amount: 2n, reason: "late" }] }),
    postingOf("req_2", { account: "b", at: 200 }),
    postingOf("req_3", { amount: 0n }),
    postingOf("req_1"),
  ]
  const opened = [hold("req_5"), hold("req_6")]
  await store.settlements.post("node", { postings, opened, closed: [] })
  await store.nodes.remove("node", 2)
  await store.nodes.join({ ...node, id: "other" })
  await store.leases.take({ node: "other", owner: "a", wanted: 50n, min: 1n })
  const late = [postingOf("req_6", { at: 300 })]
  await store.settlements.post("other", { postings: late, opened: [], closed: [] })
}

/** Tests that an engine fulfills this contract. */
export function settlementContract(engine: Engine): void {
  test("long-running holds are listed for their own account only", async () => {
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

  test("receipts are listed in the order of requests, and equal receipts that are read individually", async () => {
    await using database = await TestDatabase.on(engine)
    await database.account("a", 100n)
    await database.account("b", 100n)
    const { settlements } = database.store
    await settleAll(database.store)

    const all = await settlements.listReceipts(EVERYTHING, "", 10)
    expect(all.map(({ request }) => request)).toEqual(
      [1, 2, 3, 4, 5, 6].map((number) => `req_${number}`),
    )
    for (const receipt of all)
      expect(receipt).toEqual((await settlements.findReceipt(receipt.request))!)
    const requests = all.map(({ request }) => request)
    const together = await settlements.findReceipts([...requests, "req_x"], EVERYTHING)
    expect(together.toSorted((left, right) => (left.request < right.request ? -1 : 1))).toEqual(all)
    const early = await settlements.findReceipts(requests, { from: 101, until: 300 })
    expect(early.map(({ request }) => request)).toEqual(["req_2"])
    expect(await settlements.findReceipts([], EVERYTHING)).toEqual([])
    expect(all.map(({ late }) => late)).toEqual([false, false, false, false, false, true])
    expect(all[3]?.writtenOff).toEqual([{ amount: 2n, reason: "late" }])

    const page = await settlements.listReceipts(EVERYTHING, "req_2", 2)
    expect(page).toEqual(all.slice(2, 4))
    const found = async (filter: Partial<ReceiptFilter>) => {
      const receipts = await settlements.listReceipts({ ...EVERYTHING, ...filter }, "", 10)
      return receipts.map(({ request }) => request)
    }
    expect(await found({ account: "b" })).toEqual(["req_2"])
    expect(await found({ from: 101, until: 300 })).toEqual(["req_2"])
    expect(await found({ from: 300 })).toEqual(["req_5", "req_6"])
    expect(await found({ account: "nobody" })).toEqual([])
  })
}
