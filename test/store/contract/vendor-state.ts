import { expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import type { Store } from "../../../src/store/store.ts"
import type { VendorStateRecord } from "../../../src/store/vendor-state.ts"
import { TestDatabase } from "../test-database.ts"
import type { Engine } from "../engines.ts"

function stateOf(idHash: string, more: Partial<VendorStateRecord> = {}): VendorStateRecord {
  return {
    idHash,
    provider: "openai",
    kind: "response",
    account: "ann",
    request: "req_1",
    tokens: 10,
    createdAt: 1_000,
    expiresAt: 2_000,
    ...more,
  }
}

let number = 0

/** Stores records with a request that is not charged. */
async function keep(store: Store, ...state: VendorStateRecord[]): Promise<void> {
  const request = `req_${++number}`
  const posting = {
    request,
    account: "ann",
    key: "key",
    budgets: [],
    amount: 0n,
    writtenOff: [],
    at: 1_000,
  }
  await store.settlements.post("node", {
    postings: [{ ...posting, receipt: "{}", state }],
    opened: [],
    closed: [],
  })
}

/** Tests that an engine fulfills this contract. */
export function vendorStateContract(engine: Engine): void {
  test("vendor state is found by its hash, at every provider that stores it", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    await store.accounts.create({ id: "ann", name: "ann", createdAt: 0 }, AUDIT)
    const one = stateOf("one")
    const elsewhere = stateOf("one", { provider: "azure", account: "bob", tokens: null })
    await keep(store, one, elsewhere, stateOf("two"))
    expect(await store.vendorState.find(["one", "none"])).toEqual([elsewhere, one])
  })

  test("repeated vendor state is extended, and state that two accounts receive loses its owner", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    await store.accounts.create({ id: "ann", name: "ann", createdAt: 0 }, AUDIT)
    await keep(store, stateOf("one"))
    await keep(store, stateOf("one", { tokens: 30, expiresAt: 5_000, request: "req_2" }))
    expect(await store.vendorState.find(["one"])).toEqual([
      stateOf("one", { tokens: 30, expiresAt: 5_000 }),
    ])
    await keep(store, stateOf("one", { tokens: null }))
    expect((await store.vendorState.find(["one"]))[0]?.tokens).toBeNull()
    await keep(store, stateOf("one", { account: "bob" }))
    expect((await store.vendorState.find(["one"]))[0]?.account).toBe("")
    await keep(store, stateOf("one"))
    expect((await store.vendorState.find(["one"]))[0]?.account).toBe("")
  })

  test("a batch that is posted again stores the same vendor state", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    await store.accounts.create({ id: "ann", name: "ann", createdAt: 0 }, AUDIT)
    const state = [stateOf("one")]
    const posting = {
      request: "req_a",
      account: "ann",
      key: "key",
      budgets: [],
      amount: 0n,
      writtenOff: [],
      at: 1,
    }
    const batch = { postings: [{ ...posting, receipt: "{}", state }], opened: [], closed: [] }
    await store.settlements.post("node", batch)
    await store.settlements.post("node", batch)
    expect(await store.vendorState.find(["one"])).toEqual(state)
  })

  test("expired vendor state is removed, and the oldest above the limit", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    await store.accounts.create({ id: "ann", name: "ann", createdAt: 0 }, AUDIT)
    const many = Array.from({ length: 2_500 }, (_, index) => stateOf(`old${index}`))
    const young = Array.from({ length: 10 }, (_, index) =>
      stateOf(`new${index}`, { expiresAt: 9_000 }),
    )
    await keep(store, ...many, ...young)
    let swept = 0
    for (let count = -1; count !== 0; swept += count)
      count = await store.vendorState.sweep(2_000, 100)
    expect(swept).toBe(2_500)
    const hashes = young.map(({ idHash }) => idHash)
    expect(await store.vendorState.find(hashes)).toHaveLength(10)
    expect(await store.vendorState.sweep(2_000, 4)).toBe(6)
    const left = await store.vendorState.find(hashes)
    expect(left.map(({ idHash }) => idHash).toSorted()).toEqual(["new6", "new7", "new8", "new9"])
  })

  test("vendor state that two accounts receive simultaneously loses its owner in either order", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    await store.accounts.create({ id: "ann", name: "ann", createdAt: 0 }, AUDIT)
    const other = await database.another()
    const names = Array.from({ length: 20 }, (_, index) => `id ${index}`)
    const states = names.map((name) => stateOf(name))
    const strange = names.toReversed().map((name) => stateOf(name, { account: "bob" }))
    await Promise.all([keep(store, ...states), keep(other, ...strange)])
    const found = await store.vendorState.find(names)
    expect(found.map(({ account }) => account)).toEqual(names.map(() => ""))
  })

  test("vendor state that loses its owner while it is stored again stays without an owner", async () => {
    await using database = await TestDatabase.on(engine)
    const { store } = database
    await store.accounts.create({ id: "ann", name: "ann", createdAt: 0 }, AUDIT)
    const other = await database.another()
    const names = Array.from({ length: 20 }, (_, index) => `id ${index}`)
    const states = names.map((name) => stateOf(name))
    await keep(store, ...states)
    await Promise.all([
      other.vendorState.removeOwner("ann", names.toReversed()),
      keep(store, ...states),
      keep(other, ...states.toReversed()),
    ])
    const found = await store.vendorState.find(names)
    expect(found.map(({ account }) => account)).toEqual(names.map(() => ""))
    await store.vendorState.removeOwner("ann", [])
  })
}
