import { expect, test } from "bun:test"
import { budgetOwner } from "../../../src/accounting/budget-periods.ts"
import { tagLabel, userLabel } from "../../../src/accounting/label-budgets.ts"
import type { Labels } from "../../../src/accounting/labels.ts"
import { labelsOfOwners } from "../../../src/accounting/label-budgets.ts"
import type { Payer } from "../../../src/accounting/payer.ts"
import { keyFromRecord } from "../../../src/keys/key.ts"
import type { Ledger } from "../../../src/ledger/ledger.ts"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import type { LabelBudget } from "../../../src/accounting/label-budgets.ts"
import { AUDIT } from "../audit-record.ts"
import type { Engine } from "../engines.ts"
import { TestDatabase } from "../test-database.ts"

const DAY = 86_400_000
const LONG_LABEL = "😀".repeat(64)

const ALICE = "alice@example.com"
const BUDGETS: readonly LabelBudget[] = [
  { label: userLabel("*"), dailyBudget: "100" },
  { label: userLabel(ALICE), dailyBudget: "150", monthlyBudget: "160" },
  { label: tagLabel("feature", "search"), monthlyBudget: "200" },
  { label: tagLabel("team", "*"), dailyBudget: "90" },
]

async function labelled(engine: Engine, labelBudgets = BUDGETS) {
  // Waits if the day is about to end, so that the test does not span two days.
  const rest = DAY - (Date.now() % DAY)
  if (rest < 30_000) await Bun.sleep(rest + 10)
  const database = await TestDatabase.on(engine)
  await database.account("a", 10_000n)
  await database.store.accounts.update("a", { labelBudgets }, AUDIT)
  await database.key("k", "a", 5_000n)
  return database
}

async function payerOf({ store }: TestDatabase, labels?: Labels): Promise<Payer> {
  const record = await store.keys.find("k")
  if (!record) throw new Error("there is no key")
  return keyFromRecord(record).payerAt(Date.now(), labels)
}

/**
 * Tries to spend an amount.
 * @returns whether the amount could be held.
 */
async function spend(database: TestDatabase, ledger: Ledger, labels: Labels, amount: bigint) {
  const payer = await payerOf(database, labels)
  await ledger.lease(payer, amount)
  const hold = ledger.tryHold(database.order(payer, amount))
  if (!hold) return false
  const label_budgets = labelsOfOwners("a", payer.budgets)
  await ledger.settle(hold, amount, () => JSON.stringify({ label_budgets }))
  return true
}

async function left({ store }: TestDatabase): Promise<Record<string, [bigint, bigint]>> {
  const rows = await store.keys.listLabelBudgets({
    account: "a",
    at: Date.now(),
    after: null,
    limit: 100,
  })
  return Object.fromEntries(
    rows.map(({ owner, spent, left: rest }) => [labelsOfOwners("a", [owner])[0], [spent, rest]]),
  )
}

const problems = async ({ store }: TestDatabase) => (await verifyLedgers(store)).problems
const today = (label: string) => budgetOwner(label, "day", Date.now())
const month = (label: string) => budgetOwner(label, "month", Date.now())

/** Tests that an engine fulfills this contract. */
export function labelBudgetContract(engine: Engine): void {
  test("each end user and each tag value has a separate budget", async () => {
    await using own = await labelled(engine)
    const ledger = await own.ledger("node")
    expect(await spend(own, ledger, { user: "bob" }, 60n)).toBe(true)
    expect(await spend(own, ledger, { user: "bob" }, 41n)).toBe(false)
    expect(await spend(own, ledger, { user: "carol", tags: { other: "x" } }, 100n)).toBe(true)
    expect(await spend(own, ledger, { user: "bob" }, 40n)).toBe(true)
    // Alice's own budget takes precedence over the default budget.
    expect(await spend(own, ledger, { user: ALICE }, 150n)).toBe(true)
    expect(await spend(own, ledger, { user: ALICE }, 1n)).toBe(false)
    // All budgets of all labels apply, so the lowest limits the spending.
    const tags = { feature: "search", team: "a=b #@%,'" }
    expect(await spend(own, ledger, { user: "dave", tags }, 91n)).toBe(false)
    expect(await spend(own, ledger, { user: "dave", tags }, 90n)).toBe(true)
    expect(await spend(own, ledger, { user: "erin", tags: { feature: "search" } }, 100n)).toBe(true)
    expect(await spend(own, ledger, { user: "fay", tags: { feature: "search" } }, 11n)).toBe(false)
    expect(await spend(own, ledger, { tags: { feature: "chat" } }, 1_000n)).toBe(true)
    expect(await spend(own, ledger, {}, 1_000n)).toBe(true)
    expect(await left(own)).toEqual({
      [today(userLabel("bob"))]: [100n, 0n],
      [today(userLabel("carol"))]: [100n, 0n],
      [today(userLabel(ALICE))]: [150n, 0n],
      [month(userLabel(ALICE))]: [150n, 10n],
      [today(userLabel("dave"))]: [90n, 10n],
      [today(userLabel("erin"))]: [100n, 0n],
      [today(userLabel("fay"))]: [0n, 100n],
      [month(tagLabel("feature", "search"))]: [190n, 10n],
      [today(tagLabel("team", tags.team))]: [90n, 0n],
    })
    expect(await own.store.keys.find("k")).toMatchObject({ budgetLeft: 5_000n - 2_540n })
    expect(await problems(own)).toEqual([])
    const budgets = await own.store.keys.listBudgets("", 100)
    expect(new Set(budgets.map(({ account }) => account))).toEqual(new Set(["a"]))
    // There can be as many budgets as users, so no notices are sent for them.
    const told = await own.store.notices.spentBudgets(Date.now(), 100)
    expect(told.map(({ owner }) => owner)).toEqual(["k"])
  })

  test("the longest labels can have budgets", async () => {
    await using own = await labelled(engine)
    const ledger = await own.ledger("node")
    const labels = { user: LONG_LABEL, tags: { team: LONG_LABEL } }
    expect(await spend(own, ledger, labels, 50n)).toBe(true)
    expect(await spend(own, ledger, labels, 41n)).toBe(false)
    expect(await problems(own)).toEqual([])
  })

  test("label budgets change and end with their limits within the period", async () => {
    await using own = await labelled(engine)
    const ledger = await own.ledger("node")
    expect(await spend(own, ledger, { user: "bob" }, 60n)).toBe(true)
    expect(await spend(own, ledger, { user: ALICE }, 60n)).toBe(true)
    await own.store.nodes.remove("node", Date.now())
    const limited = (labelBudgets: readonly LabelBudget[]) =>
      own.store.accounts.update("a", { labelBudgets }, AUDIT)
    await limited([{ label: userLabel("*"), dailyBudget: "70" }])
    // Alice's spending under her own limit also counts under the default limit.
    expect(await left(own)).toMatchObject({
      [today(userLabel("bob"))]: [60n, 10n],
      [today(userLabel(ALICE))]: [60n, 10n],
    })
    const other = await own.ledger("other")
    expect(await spend(own, other, { user: "bob" }, 11n)).toBe(false)
    expect(await spend(own, other, { user: "bob" }, 10n)).toBe(true)
    await limited([])
    expect(await spend(own, other, { user: "bob" }, 500n)).toBe(true)
    await own.store.nodes.remove("other", Date.now())
    await limited([{ label: userLabel("bob"), dailyBudget: "60" }])
    // Spending without a limit does not count. The sum cannot be below the spending with a limit.
    expect((await left(own))[today(userLabel("bob"))]).toEqual([70n, 0n])
    expect(await problems(own)).toEqual([])
  })

  test("the leases of two nodes do not exceed label budgets", async () => {
    await using own = await labelled(engine)
    await own.ledger("one")
    await own.ledger("two", await own.another())
    const owner = budgetOwner(`a#${userLabel("bob")}`, "day", Date.now())
    let leased = 0n
    for (let round = 0; round < 40; round++) {
      const taken = await Promise.all(
        ["one", "two"].map((node) => own.store.leases.take({ node, owner, wanted: 3n, min: 1n })),
      )
      for (const { granted } of taken) leased += granted
    }
    expect(leased).toBe(100n)
    expect(await problems(own)).toEqual([])
  })

  test("a receipt with modified labels is detected", async () => {
    await using own = await labelled(engine)
    const ledger = await own.ledger("node")
    const payer = await payerOf(own, { user: "bob" })
    await ledger.lease(payer, 10n)
    const hold = ledger.tryHold(own.order(payer, 10n))
    if (!hold) throw new Error("it was not held")
    await ledger.settle(hold, 10n, () => '{"label_budgets":[]}')
    expect(await problems(own)).toMatchObject([{ account: "a", fault: "budget" }])
  })

  test("old label budgets are removed, and current label budgets are kept", async () => {
    await using own = await labelled(engine)
    const ledger = await own.ledger("node")
    expect(await spend(own, ledger, { user: ALICE }, 60n)).toBe(true)
    await own.store.nodes.remove("node", Date.now())
    await own.store.keys.forgetLabelBudgets(Date.now() + 27 * DAY)
    expect(Object.keys(await left(own))).toHaveLength(2)
    await own.store.keys.forgetLabelBudgets(Date.now() + 63 * DAY)
    expect(await left(own)).toEqual({})
    expect(await own.store.keys.listBudgets("", 10)).toMatchObject([{ owner: "k" }])
    expect(await problems(own)).toEqual([])
  })
}
