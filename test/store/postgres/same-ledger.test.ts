import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { budgetOwner } from "../../../src/accounting/budget-periods.ts"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import type { Posting } from "../../../src/store/settlements.ts"
import { IS_EXHAUSTIVE } from "../../support/exhaustive.ts"
import { ENGINES } from "../engines.ts"
import { TestDatabase } from "../test-database.ts"

const NODES = ["one", "two"] as const
const ACCOUNTS = ["acc_a", "acc_b"] as const
/** All times are on one day, so that daily budgets apply. */
const NOW = Date.now()
const RUNS = IS_EXHAUSTIVE ? 15 : 5

type Step = (database: TestDatabase) => Promise<unknown>

interface Charge {
  readonly request: number
  readonly account: 0 | 1
  readonly withBudgets: boolean
  readonly amount: bigint
  readonly writtenOff: bigint
}

function requestOf(number: number): string {
  return `req_00000000-0000-7000-8000-${String(number).padStart(12, "0")}`
}

function budgetsOf(key: string): string[] {
  return [budgetOwner(key, "total", NOW), budgetOwner(key, "day", NOW)]
}

/** Returns the posting of a charge. A request has the same id however often it is posted. */
function postingOf({ request, account, withBudgets, amount, writtenOff }: Charge): Posting {
  const id = requestOf(request)
  const key = `key_${ACCOUNTS[account]}`
  const receipt = JSON.stringify({
    id,
    status: "settled",
    endpoint: "/v1/chat/completions",
    model: `m${request % 2}`,
    deployment: "vendor/m",
    duration_ms: request,
    usage: { input: request, output: 1 },
    note: 'é "quoted" \\ \n\u0001',
  })
  return {
    request: id,
    account: ACCOUNTS[account] ?? "",
    key,
    budgets: withBudgets ? budgetsOf(key) : [],
    amount,
    writtenOff: writtenOff > 0n ? [{ amount: writtenOff, reason: "budget_empty" }] : [],
    at: NOW + request,
    receipt,
  }
}

const anyNode = fc.constantFrom(...NODES)
const anyAccount = fc.constantFrom(0 as const, 1 as const)
const anyCharge: fc.Arbitrary<Charge> = fc.record({
  request: fc.nat({ max: 30 }),
  account: anyAccount,
  withBudgets: fc.boolean(),
  amount: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 60n })),
  writtenOff: fc.oneof({ weight: 3, arbitrary: fc.constant(0n) }, fc.bigInt({ min: 1n, max: 9n })),
})

/** One charge for each request. The charge is identical when it is repeated. */
const anyCharges = fc.array(anyCharge, { minLength: 31, maxLength: 31 })

const anyGrant = fc
  .tuple(anyAccount, fc.bigInt({ min: 1n, max: 200n }))
  .map(([account, amount]): Step => {
    return (database) => database.grant(ACCOUNTS[account] ?? "", amount)
  })
const anyLease = fc
  .tuple(anyNode, anyAccount, fc.nat({ max: 2 }), fc.bigInt({ min: 1n, max: 90n }))
  .map(([node, account, kind, wanted]): Step => {
    const id = ACCOUNTS[account] ?? ""
    const owner = [id, ...budgetsOf(`key_${id}`)][kind] ?? id
    return ({ store }) => store.leases.take({ node, owner, wanted, min: 1n })
  })
const anyReturn = fc
  .tuple(anyNode, anyAccount, fc.bigInt({ min: 1n, max: 50n }))
  .map(([node, account, amount]): Step => {
    return ({ store }) => store.leases.giveBack(node, [{ owner: ACCOUNTS[account] ?? "", amount }])
  })
/** Holds that a node has recorded, followed by the death of the node. */
const anyDeath = fc
  .tuple(anyNode, fc.uniqueArray(fc.nat({ max: 30 }), { maxLength: 3 }))
  .map(([node, requests]): Step => {
    return async ({ store }) => {
      const opened = requests.map((number) => ({
        request: requestOf(number),
        account: ACCOUNTS[number % 2] ?? "",
        key: `key_${ACCOUNTS[number % 2]}`,
        amount: 5n,
        at: NOW + number,
        receipt: `{"status":"expired","n":${number}}`,
      }))
      await store.settlements.post(node, { postings: [], opened, closed: [] })
      const expired = await store.nodes.remove(node, NOW)
      await store.nodes.join({ id: node, process: 1, host: "h", beatAt: NOW, machine: null })
      return expired.toSorted((left, right) => (left.request < right.request ? -1 : 1))
    }
  })
const anyBatch = fc
  .tuple(anyNode, fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 8 }))
  .map(([node, requests]) => {
    return (charges: readonly Charge[], isDivided = false): Step => {
      const postings = requests.flatMap((number) => {
        const charge = charges[number]
        return charge ? [postingOf({ ...charge, request: number })] : []
      })
      const batches = isDivided ? divided(postings) : [postings]
      return ({ store }) =>
        series(batches, (some) =>
          store.settlements.post(node, { postings: some, opened: [], closed: [] }),
        )
    }
  })

/** Divides postings into a part for each account. */
function divided(postings: readonly Posting[]): readonly (readonly Posting[])[] {
  return [...Map.groupBy(postings, ({ account }) => account).values()]
}

async function series<T, Result>(
  items: readonly T[],
  step: (item: T) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(...(await step(item)))
  return results
}

const anySteps = fc.tuple(
  anyCharges,
  fc.array(
    fc.oneof(
      { weight: 5, arbitrary: anyBatch.map((make) => ({ make })) },
      { weight: 3, arbitrary: anyLease.map((step) => ({ step })) },
      { weight: 1, arbitrary: anyGrant.map((step) => ({ step })) },
      { weight: 1, arbitrary: anyReturn.map((step) => ({ step })) },
      { weight: 1, arbitrary: anyDeath.map((step) => ({ step })) },
    ),
    { minLength: 3, maxLength: 14 },
  ),
)

async function openWorld(name: string): Promise<TestDatabase> {
  const engine = ENGINES.find((one) => one.name === name)
  if (!engine) throw new Error(`there is no engine ${name}`)
  const database = await TestDatabase.on(engine)
  for (const id of NODES) {
    await database.store.nodes.join({ id, process: 1, host: "h", beatAt: NOW, machine: null })
  }
  for (const account of ACCOUNTS) {
    await database.account(account, 100n)
    await database.key(`key_${account}`, account, 80n, { dailyBudget: 60n })
  }
  return database
}

/** Returns the complete content of a ledger, without the positions of its rows. */
async function allOf({ store }: TestDatabase) {
  const rows = await store.integrity.listRows(0, 1_000)
  const lines = rows.map((row) => JSON.stringify({ ...row, position: 0 }))
  const receipts = await Promise.all(
    Array.from({ length: 31 }, (__, number) => store.settlements.findReceipt(requestOf(number))),
  )
  return {
    rows: lines.toSorted(),
    receipts,
    accounts: await store.accounts.list(),
    budgets: await store.keys.listBudgets("", 100),
    writeOffs: await store.settlements.listWriteOffs(undefined, null, 1_000),
    faults: await store.integrity.listBalanceFaults(NOW),
    problems: (await verifyLedgers(store)).problems,
  }
}

test("PostgreSQL writes the same hashes as SQLite for all postings", async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, async ([charges, steps]) => {
      await using sqlite = await openWorld("SQLite")
      await using postgres = await openWorld("PostgreSQL")
      for (const step of steps) {
        const run = "make" in step ? step.make(charges) : step.step
        expect(await run(postgres)).toEqual(await run(sqlite))
      }
      expect(await allOf(postgres)).toEqual(await allOf(sqlite))
    }),
    { numRuns: RUNS },
  )
})

test("a batch that is split by account has the same result as an undivided batch", async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, async ([charges, steps]) => {
      await using whole = await openWorld("PostgreSQL")
      await using parts = await openWorld("PostgreSQL")
      for (const step of steps) {
        await ("make" in step ? step.make(charges) : step.step)(whole)
        await ("make" in step ? step.make(charges, true) : step.step)(parts)
      }
      expect(byAccount(await allOf(parts))).toEqual(byAccount(await allOf(whole)))
    }),
    { numRuns: RUNS / 5 },
  )
})

/** Returns the content without the chain that all write-offs share. */
function byAccount({ writeOffs, ...others }: Awaited<ReturnType<typeof allOf>>) {
  const lines = writeOffs.map(({ account, request, amount, reason }) =>
    [account, request, amount, reason].join(" "),
  )
  return { ...others, writeOffs: lines.toSorted() }
}
