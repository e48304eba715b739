import { expect, test } from "bun:test"
import { budgetOwner } from "../../../src/accounting/budget-periods.ts"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import type { Posting } from "../../../src/store/settlements.ts"
import { COMMAND_LINE } from "../../../src/management/actor.ts"
import { Statements } from "../../../src/management/statements.ts"
import type { Store } from "../../../src/store/store.ts"
import { AUDIT } from "../audit-record.ts"
import { type Engine, rejectionOf, type Served } from "../engines.ts"
import { TemporaryDirectory } from "../test-database.ts"

const DAY = 24 * 60 * 60_000
const NOW = Date.now()
const THIS_MONTH = Date.UTC(new Date(NOW).getUTCFullYear(), new Date(NOW).getUTCMonth(), 1)
/** Rows before this time are removed. */
export const BEFORE = THIS_MONTH
export const OLD = BEFORE - 20 * DAY
const GRANTS = 3
const NODE = { id: "node", process: 1, host: "test", beatAt: NOW, machine: null }

export function posting(at: number, change: Partial<Posting> = {}): Posting {
  const request = `req_${Bun.randomUUIDv7("hex", at)}`
  const account = change.account ?? "busy"
  return {
    request,
    account,
    key: "key",
    budgets: [],
    amount: 5n,
    writtenOff: [],
    at,
    receipt: JSON.stringify({ id: request, status: "settled", model: "m", usage: { input: 1 } }),
    ...change,
  }
}

/** Creates accounts with old charges and with charges of today. The account `idle` has only old charges. */
export async function happen(store: Store): Promise<Posting[]> {
  for (const id of ["busy", "idle", "new"]) {
    await store.accounts.create({ id, name: id, createdAt: 1 }, AUDIT)
    const grant = {
      account: id,
      kind: "grant",
      amount: 100_000n,
      note: null,
      author: null,
    } as const
    await store.entries.add({ ...grant, at: OLD - DAY }, AUDIT)
  }
  await store.keys.insert(
    {
      id: "key",
      account: "busy",
      name: "key",
      models: null,
      aliases: null,
      budget: 50_000n,
      dailyBudget: 50_000n,
      monthlyBudget: 50_000n,
      requestsPerMinute: null,
      tokensPerMinute: null,
      concurrentRequests: null,
      createdAt: 1,
      createdBy: null,
      expiresAt: null,
      origins: null,
      isReadOnly: false,
      addresses: null,
      secret: { hash: "hash", hint: "abcd", createdAt: 1, expiresAt: null },
    },
    AUDIT,
  )
  const limits = { dailyBudget: "60000", monthlyBudget: "60000" }
  await store.accounts.update("busy", { limits }, AUDIT)
  await store.nodes.join(NODE)
  const budgetsAt = (at: number) => [
    budgetOwner("key", "total", at),
    budgetOwner("key", "day", at),
    budgetOwner("busy", "day", at),
    budgetOwner("busy", "month", at),
  ]
  const owners = ["busy", "idle", "new", ...budgetsAt(OLD + 7), ...budgetsAt(NOW)]
  for (const owner of owners) {
    await store.leases.take({ node: "node", owner, wanted: 10_000n, min: 1n })
  }
  const old = Array.from({ length: 300 }, (_, index) =>
    posting(OLD + index, { budgets: budgetsAt(OLD + index) }),
  )
  const idle = Array.from({ length: 3 }, (_, index) => posting(OLD + index, { account: "idle" }))
  const postings = [
    ...old,
    ...idle,
    posting(OLD + 400, { amount: 0n }),
    posting(NOW - 3, { budgets: budgetsAt(NOW) }),
    // This request began long ago and ended late.
    posting(OLD + 500),
    posting(NOW - 2, { amount: 0n }),
    posting(NOW - 1, { account: "new" }),
  ]
  await store.settlements.post("node", { postings, opened: [], closed: [] })
  // The last charge that is covered by the anchor.
  const last = posting(NOW, { account: "new" })
  await store.settlements.post("node", { postings: [last], opened: [], closed: [] })
  await store.nodes.remove("node", NOW)
  while ((await store.integrity.advanceAnchor(NOW)).isBehind);
  return postings
}

export async function pruneAll(store: Store, before: number): Promise<number> {
  let removed = 0
  for (let isBehind = true; isBehind;) {
    const step = await store.integrity.prune(before, { ...AUDIT, action: "ledger.prune" })
    removed += step.removed
    ;({ isBehind } = step)
  }
  return removed
}

export async function reportsOf({ reports }: Served) {
  const upToDate = await reports.upToDate()
  return {
    hours: await upToDate.sumUsage({ from: 0, to: NOW + DAY }, "hour"),
    uses: await upToDate.keyUses(["key"]),
  }
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, "2026-11-23".length)
}

/** Tests that an engine fulfills this contract. */
export function pruningContract(engine: Engine): void {
  test("after old rows are removed, the ledger passes verification and totals are unchanged", async () => {
    using folder = new TemporaryDirectory()
    await using served = await engine.serve(folder.path)
    const { store } = served
    const postings = await happen(store)
    const before = await reportsOf(served)
    const anchor = await store.integrity.findAnchor()
    const records = (await store.audit.list({}, null, 100)).length

    // The last entry of the idle account is kept, and so is the request that ended late.
    expect(await pruneAll(store, BEFORE)).toBe(GRANTS + 300 + 2 + 1)
    expect(await verifyLedgers(store)).toMatchObject({ entries: 5, problems: [] })
    expect(await store.integrity.findAnchor()).toEqual(anchor)
    expect(await store.integrity.findPrunedRows()).toMatchObject({
      until: BEFORE,
      rowCount: GRANTS + 303,
    })
    expect(await reportsOf(served)).toEqual(before)
    expect(await store.audit.list({}, null, 100)).toHaveLength(records + 1)
    expect(await store.settlements.findReceipt(postings[0]?.request ?? "")).toBeNull()
    const recent = postings.find(({ at }) => at === NOW - 3)
    expect(await store.settlements.findReceipt(recent?.request ?? "")).toMatchObject({
      at: NOW - 3,
    })
    expect(await pruneAll(store, BEFORE)).toBe(0)

    await store.nodes.join(NODE)
    await store.leases.take({ node: "node", owner: "busy", wanted: 100n, min: 1n })
    await store.settlements.post("node", { postings: [posting(NOW)], opened: [], closed: [] })
    await store.nodes.remove("node", NOW)
    while ((await store.integrity.advanceAnchor(NOW)).isBehind);
    expect(await verifyLedgers(store)).toMatchObject({ problems: [] })
  })

  test("a statement starts with the balance after the removed entries", async () => {
    using folder = new TemporaryDirectory()
    await using served = await engine.serve(folder.path)
    const { store } = served
    await happen(store)
    await pruneAll(store, BEFORE)
    const statements = new Statements(store)
    const query = { from: dayOf(NOW), to: dayOf(NOW), format: "json" } as const
    const file = await statements.open(COMMAND_LINE, "busy", query)
    let text = ""
    for await (const chunk of file.chunks) text += chunk
    // The balance consists of the grant, 300 charges of 5, and the request that ended late.
    expect(JSON.parse(text)).toMatchObject({ opening_balance: "0.000098495" })
    const early = statements.open(COMMAND_LINE, "busy", { ...query, from: dayOf(OLD) })
    expect(await early.catch(String)).toContain("'from' must not be earlier")
  })

  test("rows that the anchor does not include are not removed", async () => {
    using folder = new TemporaryDirectory()
    await using served = await engine.serve(folder.path)
    const { store } = served
    await store.accounts.create({ id: "busy", name: "busy", createdAt: 1 }, AUDIT)
    await store.nodes.join(NODE)
    const postings = [posting(OLD, { amount: 0n }), posting(OLD + 1, { amount: 0n })]
    await store.settlements.post("node", { postings, opened: [], closed: [] })
    const { lastRow } = await store.integrity.findAnchor()
    const removed = await pruneAll(store, BEFORE)
    expect(removed).toBeLessThanOrEqual(lastRow === 0 ? 0 : 1)
    expect(await verifyLedgers(store)).toMatchObject({ problems: [] })
    expect(await rejectionOf(pruneAll(store, BEFORE))).toBeUndefined()
  })
}
