import { describe, expect, test } from "bun:test"
import { budgetOwner } from "../../../src/accounting/budget-periods.ts"
import type { DeliveryLimits, NewNotice, NoticeTarget } from "../../../src/store/notices.ts"
import type { Store } from "../../../src/store/store.ts"
import { AUDIT } from "../audit-record.ts"
import { type Engine, rejectionOf } from "../engines.ts"
import { payerOf, TestDatabase } from "../test-database.ts"

const NOW = Date.UTC(2026, 10, 23, 12)

const TARGET: NoticeTarget = {
  id: "of-one",
  account: "one",
  channel: "webhook",
  hint: "https://one.example",
  encrypted: "encrypted",
  types: null,
  balanceBelow: null,
  createdAt: 1,
}

const NOTICE: NewNotice = { id: "n1", account: "one", type: "balance.low", at: NOW, data: "{}" }

/** Creates two accounts with a target each, and two targets of the operator, one of them for a single type. */
async function withTargets(engine: Engine) {
  const database = await TestDatabase.on(engine)
  const { accounts, notices } = database.store
  for (const id of ["one", "two"]) await accounts.create({ id, name: id, createdAt: 1 }, AUDIT)
  await notices.insertTarget(TARGET, AUDIT)
  await notices.insertTarget({ ...TARGET, id: "of-two", account: "two", createdAt: 2 }, AUDIT)
  await notices.insertTarget({ ...TARGET, id: "all", account: null, createdAt: 3 }, AUDIT)
  const types = ["write_off"]
  await notices.insertTarget(
    { ...TARGET, id: "losses", account: null, types, balanceBelow: 5n, createdAt: 4 },
    AUDIT,
  )
  return database
}

const LIMITS: DeliveryLimits = {
  total: 100,
  perAccount: 100,
  perTarget: 100,
  after: "",
  running: [],
}

const targetsOf = async ({ notices }: Store, now = NOW) =>
  (await notices.claim(now, now + 1_000, LIMITS)).map(({ target }) => target.id).toSorted()

/** Tests that an engine fulfills this contract. */
export function noticeContract(engine: Engine): void {
  describe("notice targets", () => {
    test("appear in the list of one account or of all", async () => {
      await using database = await withTargets(engine)
      const { notices } = database.store
      expect(await notices.targets(["one"])).toEqual([TARGET])
      const all = await notices.targets(null)
      expect(all.map(({ id }) => id)).toEqual(["of-one", "of-two", "all", "losses"])
      expect(all[3]).toMatchObject({ types: ["write_off"], balanceBelow: 5n, account: null })
      expect(await notices.findTarget("of-one")).toEqual(TARGET)
      expect(await notices.findTarget("unknown")).toBeNull()
    })

    test("belong to an existing account, and are deleted with their pending deliveries", async () => {
      await using database = await withTargets(engine)
      const { notices } = database.store
      const lost = { ...TARGET, id: "lost", account: "unknown" }
      expect(await rejectionOf(notices.insertTarget(lost, AUDIT))).toBe("not_found")
      await notices.raise(NOTICE, null)
      await notices.removeTarget("of-one", AUDIT)
      expect(await rejectionOf(notices.removeTarget("of-one", AUDIT))).toBe("not_found")
      expect(await targetsOf(database.store)).toEqual(["all"])
    })
  })

  describe("a notice", () => {
    test("reaches those targets of its account and of the operator that subscribe to its type", async () => {
      await using database = await withTargets(engine)
      const { notices } = database.store
      expect(await notices.raise(NOTICE, null)).toBe(true)
      expect(await targetsOf(database.store)).toEqual(["all", "of-one"])
      await notices.raise({ ...NOTICE, id: "n2", account: null, type: "write_off" }, null)
      expect(await targetsOf(database.store)).toEqual(["all", "losses"])
      await notices.raise({ ...NOTICE, id: "n3", target: "of-one" }, null)
      expect(await targetsOf(database.store)).toEqual(["of-one"])
    })

    test("has one delivering process at a time, and another process if the first has died", async () => {
      await using database = await withTargets(engine)
      const other = await database.another()
      const { notices } = database.store
      await notices.raise({ ...NOTICE, target: "of-one" }, null)
      expect(await notices.claim(NOW - 1, NOW, LIMITS)).toEqual([])
      const [first] = await notices.claim(NOW, NOW + 100, LIMITS)
      expect(first).toEqual({ notice: NOTICE, target: TARGET, attempts: 0 })
      expect(await other.notices.claim(NOW + 99, NOW + 200, LIMITS)).toEqual([])
      const [again] = await other.notices.claim(NOW + 100, NOW + 200, LIMITS)
      expect(again?.attempts).toBe(1)
      const result = { notice: "n1", target: "of-one", at: NOW + 150 }
      await notices.report({ ...result, error: "status 500", nextAt: NOW + 900 })
      const [waiting] = await notices.list(["one"], null, 10)
      expect(waiting?.deliveries).toEqual([
        { target: "of-one", state: "pending", attempts: 2, at: NOW + 900, error: "status 500" },
      ])
      expect(await targetsOf(database.store, NOW + 899)).toEqual([])
      expect(await targetsOf(database.store, NOW + 900)).toEqual(["of-one"])
      await notices.report({ ...result, error: null, nextAt: null })
      expect(await targetsOf(database.store, NOW + 99_999)).toEqual([])
      const [delivered] = await notices.list(["one"], null, 10)
      expect(delivered?.deliveries).toMatchObject([{ state: "delivered", error: null }])
    })

    test("can be claimed within the limits of its target and account, oldest first per target", async () => {
      await using database = await withTargets(engine)
      const { notices } = database.store
      await notices.insertTarget({ ...TARGET, id: "second", createdAt: 5 }, AUDIT)
      for (let number = 0; number < 10; number++) {
        const notice = { ...NOTICE, at: NOW - 20 + number }
        await notices.raise({ ...notice, id: `first${number}`, target: "of-one" }, null)
        await notices.raise({ ...notice, id: `second${number}`, target: "second" }, null)
      }
      await notices.raise({ ...NOTICE, id: "late", account: "two", target: "of-two" }, null)
      const claimed = async (running: DeliveryLimits["running"], total = 9) =>
        (
          await notices.claim(NOW, NOW + 1_000, {
            ...LIMITS,
            total,
            perAccount: 3,
            perTarget: 2,
            running,
          })
        ).map(({ notice }) => notice.id)
      expect(await claimed([])).toEqual(["first0", "first1", "late", "second0"])
      const busy = { id: "of-one", account: "one" }
      expect(await claimed([busy])).toEqual(["first2", "second1"])
      expect(await claimed([busy, busy])).toEqual(["second2"])
      expect(await claimed([busy, busy, { ...busy, id: "second" }])).toEqual([])
      expect(await claimed([], 1)).toEqual(["first3"])
    })

    test("does not wait for older notices to other targets", async () => {
      await using database = await withTargets(engine)
      const { notices } = database.store
      for (let number = 0; number < 3; number++) {
        const notice = { ...NOTICE, at: NOW - 20 + number }
        await notices.raise({ ...notice, id: `old${number}`, target: "of-one" }, null)
      }
      await notices.raise({ ...NOTICE, id: "new", account: "two", target: "of-two" }, null)
      const claimed = async (after: string) => {
        const limits = { ...LIMITS, total: 1, perTarget: 1, after }
        return (await notices.claim(NOW, NOW + 1_000, limits)).map(({ notice }) => notice.id)
      }
      expect(await claimed("")).toEqual(["old0"])
      expect(await claimed("of-one")).toEqual(["new"])
      expect(await claimed("of-two")).toEqual(["old1"])
      expect(await claimed("of-one")).toEqual(["old2"])
      expect(await claimed("of-one")).toEqual([])
    })

    test("appears in the list of its account, newest first and page by page, until it expires", async () => {
      await using database = await withTargets(engine)
      const { notices } = database.store
      for (const number of [1, 2, 3]) {
        await notices.raise({ ...NOTICE, id: `n${number}`, at: NOW + number }, null)
      }
      await notices.raise({ ...NOTICE, id: "other", account: "two" }, null)
      await notices.raise({ ...NOTICE, id: "operator", account: null }, null)
      const ids = async (accounts: string[] | null, before: number | null, limit = 10) =>
        (await notices.list(accounts, before, limit)).map(({ id }) => id)
      expect(await ids(["one"], null)).toEqual(["n3", "n2", "n1"])
      expect(await ids(null, null)).toEqual(["operator", "other", "n3", "n2", "n1"])
      const [newest] = await notices.list(["one"], null, 1)
      expect(await ids(["one"], newest?.number ?? 0, 1)).toEqual(["n2"])
      await notices.prune(NOW + 3)
      expect(await ids(null, null)).toEqual(["n3"])
      expect(await targetsOf(database.store, NOW + 9)).toEqual(["all", "of-one"])
    })

    test("comes only from the process that changes the monitored state", async () => {
      await using database = await withTargets(engine)
      const other = await database.another()
      const { notices } = database.store
      const mark = { name: "balance:one", from: null, to: "low" }
      const raised = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? notices : other.notices).raise({ ...NOTICE, id: `n${index}` }, mark),
        ),
      )
      expect(raised.filter(Boolean)).toHaveLength(1)
      expect(await notices.list(null, null, 10)).toHaveLength(1)
      expect(await notices.marks("balance:")).toEqual(new Map([["balance:one", "low"]]))
      expect(await notices.marks("budget:")).toEqual(new Map())
      const change = { name: "balance:one", from: "low", to: "empty" }
      expect(await notices.mark(change, NOW)).toBe(true)
      expect(await notices.mark(change, NOW)).toBe(false)
      expect(await notices.mark({ ...change, from: "empty", to: null }, NOW)).toBe(true)
      expect(await notices.raise({ ...NOTICE, id: "again" }, mark)).toBe(true)
    })
  })

  describe("the values monitored for notices", () => {
    test("include balances below the level of a target", async () => {
      await using database = await withTargets(engine)
      const { notices, entries } = database.store
      const grant = { kind: "grant", at: 1, note: null, author: null } as const
      await entries.add({ ...grant, account: "one", amount: 4n }, AUDIT)
      await entries.add({ ...grant, account: "two", amount: 5n }, AUDIT)
      expect(await notices.lowBalances(10)).toEqual([
        { target: "losses", account: "one", balance: 4n, below: 5n },
      ])
    })

    test("include budgets that are at least half spent in the current day or month", async () => {
      await using database = await withTargets(engine)
      const { notices } = database.store
      await database.grant("one", 100n)
      await database.key("key", "one", 40n, { dailyBudget: 10n, monthlyBudget: 10n })
      const [total, day, month] = (["total", "day", "month"] as const).map((period) =>
        budgetOwner("key", period, NOW),
      ) as [string, string, string]
      const payer = payerOf("one", "key", [total, day, month])
      const ledger = await database.ledger("node")
      const spend = async (amount: bigint) => {
        await ledger.lease(payer, amount)
        const hold = ledger.tryHold(database.order(payer, amount))!
        await ledger.settle(hold, amount, () => "{}")
      }
      await spend(4n)
      expect(await notices.spentBudgets(NOW, 10)).toEqual([])
      await spend(1n)
      const spent = { account: "one", spent: 5n, limit: 10n }
      const found = async (at: number) =>
        (await notices.spentBudgets(at, 10)).toSorted((a, b) => a.owner.localeCompare(b.owner))
      expect(await found(NOW)).toEqual([
        { owner: month, ...spent },
        { owner: day, ...spent },
      ])
      const tomorrow = NOW + 24 * 3_600_000
      expect(await found(tomorrow)).toEqual([{ owner: month, ...spent }])
    })
  })
}
