import { expect, test } from "bun:test"
import { type AccountQuery, accountPage, accountQuery } from "tollgate-contract/accounts.ts"
import { pageOfAccounts } from "../../src/management/account-list.ts"
import { AccountUsage } from "../../src/management/account-usage.ts"
import { Accounts } from "../../src/management/accounts.ts"
import { Audit } from "../../src/management/audit.ts"
import { type AccountRecord, FRESH_ACCOUNT } from "../../src/store/accounts.ts"
import { ReportedDatabase } from "../store/reported-requests.ts"
import { kindOf, OPERATOR, userIn } from "./actors.ts"

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 2, 10, 30)
const SORTS = ["created_at", "name", "balance", "spent_30_days", "last_used_at", "days_left"]

function query(filter: Readonly<Record<string, string>> = {}): AccountQuery {
  return accountQuery.parse(filter)
}

/** Returns many accounts. Some of them differ only in their id. */
function manyAccounts(count: number): AccountRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    ...FRESH_ACCOUNT,
    id: `acc_${index}`,
    name: index % 3 === 0 ? "é".repeat(100) : `Account ${index % 977}`,
    createdAt: NOW - (index % 400) * DAY,
    balance: BigInt(index % 101) * 10n ** 20n - 5n,
  }))
}

function usesOf(accounts: readonly AccountRecord[]) {
  const uses = accounts.map(({ id: account }, index) => {
    const spent = BigInt(index % 13)
    const lastUsedAt = index % 5 === 0 ? null : NOW - (index % 50)
    return [account, { account, lastUsedAt, spent, recentlySpent: spent / 2n }] as const
  })
  return new Map(uses)
}

test("pages of 2,000 accounts contain each account in order, even if accounts change at the same time", () => {
  const accounts = manyAccounts(2_000)
  const uses = usesOf(accounts)
  const quiet = new Set(accounts.slice(500).map(({ id }) => id))
  for (const sort of SORTS) {
    for (const order of ["asc", "desc"]) {
      const seen: string[] = []
      let cursor: string | null = null
      for (let turn = 0; ; turn++) {
        // In each round, the balances of some accounts change.
        const changed = accounts.map((account, index) =>
          index < 500 ? { ...account, balance: BigInt((index * turn) % 7) } : account,
        )
        const asked = query({ sort, order, limit: "200", ...(cursor !== null && { cursor }) })
        const page = pageOfAccounts(changed, asked, { uses, now: NOW })
        seen.push(...page.data.map(({ id }) => id))
        cursor = page.next_cursor
        if (cursor === null) break
        query({ cursor })
      }
      const once = seen.filter((id) => quiet.has(id))
      expect(once.length, `${sort} ${order}`).toBe(quiet.size)
      expect(new Set(once).size, `${sort} ${order}`).toBe(quiet.size)
    }
  }
})

test("accounts can be sorted by balance, spending and remaining days", async () => {
  await using own = await ReportedDatabase.open()
  const { store } = own.database
  await own.database.account("empty", 0n)
  await own.database.account("idle", 5n)
  const now = Date.now()
  await own.add(
    { request: "req_1", at: now, cost: 700_000_000_000n },
    { request: "req_2", at: now - 10 * DAY, cost: 900_000_000_000n, account: "b" },
  )
  const accounts = new Accounts(store, new Audit(store), { usage: new AccountUsage(own.reports) })
  const ids = async (filter: Readonly<Record<string, string>>, actor = OPERATOR) =>
    (await accounts.list(actor, query(filter))).data.map(({ id }) => id)
  expect(await ids({ sort: "spent_30_days", order: "desc", limit: "2" })).toEqual(["b", "a"])
  expect(await ids({ sort: "last_used_at", order: "desc", limit: "2" })).toEqual(["a", "b"])
  expect(await ids({ sort: "days_left", limit: "1" })).toEqual(["a"])
  expect(await ids({ sort: "balance", limit: "2" })).toEqual(["empty", "idle"])
  expect(await ids({ search: "NAME OF B" })).toEqual(["b"])
  expect(await ids({ search: "idl" })).toEqual(["idle"])
  expect(await ids({ credits: "none" })).toEqual(["empty"])
  expect(await ids({ state: "paused" })).toEqual([])
  expect(await ids({ sort: "spent_30_days", usage: "true" }, userIn({ b: "viewer" }))).toEqual([
    "b",
  ])

  const page = await accounts.list(OPERATOR, query({ usage: "true", sort: "name", limit: "1" }))
  expect(accountPage.parse(page)).toMatchObject({
    total: 4,
    data: [
      {
        id: "a",
        usage: {
          spent_30_days: "700",
          last_used_at: new Date(now).toISOString(),
          days_left: expect.any(Number),
        },
      },
    ],
  })
  const [plain] = (await accounts.list(OPERATOR, query())).data
  expect(plain?.usage).toBeUndefined()
})

test("an account list contains the spending of recent days for accounts that the caller can access", async () => {
  await using own = await ReportedDatabase.open()
  const { store } = own.database
  const now = Date.now()
  await own.add(
    { request: "req_1", at: now, cost: 7_000_000_000n },
    { request: "req_2", at: now, cost: 2_000_000_000n },
    { request: "req_3", at: now - 13 * DAY, cost: 5_000_000_000n },
    { request: "req_4", at: now - 14 * DAY, cost: 4_000_000_000n },
    { request: "req_5", at: now - DAY, cost: 3_000_000_000n, account: "b" },
  )
  const accounts = new Accounts(store, new Audit(store), { usage: new AccountUsage(own.reports) })
  const spentBy = async (actor: typeof OPERATOR, filter: Readonly<Record<string, string>>) => {
    const { data } = await accounts.list(actor, query({ usage: "true", ...filter }))
    return Object.fromEntries(data.map(({ id, usage }) => [id, usage?.spent_by_day]))
  }
  const a = ["5", ...Array<string>(12).fill("0"), "9"]
  const b = [...Array<string>(12).fill("0"), "3", "0"]
  expect(await spentBy(OPERATOR, {})).toEqual({ a, b })
  expect(await spentBy(OPERATOR, { sort: "spent_30_days", limit: "1" })).toEqual({ b })
  expect(await spentBy(userIn({ b: "viewer" }), {})).toEqual({ b })
})

test("an account list rejects a cursor that is invalid or belongs to a different sort order", async () => {
  await using own = await ReportedDatabase.open()
  const accounts = new Accounts(own.database.store, new Audit(own.database.store))
  const { next_cursor: cursor } = await accounts.list(OPERATOR, query({ limit: "1", sort: "name" }))
  const names = [cursor ?? "", Buffer.from('["name","asc",{},1]').toString("base64url"), "x"]
  for (const wrong of names) {
    const asked = accounts.list(OPERATOR, query({ cursor: wrong, sort: "balance" }))
    expect(await kindOf(asked)).toBe("invalid_value")
  }
  const amount = Buffer.from('["balance","asc","1e9","a"]').toString("base64url")
  expect(await kindOf(accounts.list(OPERATOR, query({ cursor: amount, sort: "balance" })))).toBe(
    "invalid_value",
  )
})

test("accounts are listed without usage if the usage query fails, and the query is retried", async () => {
  await using own = await ReportedDatabase.open()
  let isBroken = true
  const reports = {
    isBehind: false,
    upToDate: async () => {
      if (isBroken) throw new Error("the disk is full")
      return own.reports.upToDate()
    },
  }
  const warnings: string[] = []
  const { store } = own.database
  const accounts = new Accounts(store, new Audit(store), {
    usage: new AccountUsage(reports),
    warn: (message) => warnings.push(message),
  })
  const { data } = await accounts.list(OPERATOR, query({ usage: "true" }))
  expect(data).toHaveLength(2)
  expect(data.map(({ usage }) => usage)).toEqual([undefined, undefined])
  expect(warnings).toHaveLength(1)
  const bySpending = query({ sort: "spent_30_days", usage: "true" })
  const failed = await accounts.list(OPERATOR, bySpending).then(
    () => undefined,
    (error: unknown) => String(error),
  )
  expect(failed).toContain("the disk is full")
  isBroken = false
  expect((await accounts.list(OPERATOR, bySpending)).data[0]?.usage?.spent_30_days).toBe("0")
})
