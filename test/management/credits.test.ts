import { describe, expect, test } from "bun:test"
import { COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { Credits } from "../../src/management/credits.ts"
import { Node } from "../../src/ledger/node.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { AUDIT } from "../store/audit-record.ts"
import { TestDatabase } from "../store/test-database.ts"
import { rejection, user } from "./support.ts"

describe("a manual credit entry", () => {
  test("has its reason and author in the ledger and the audit log", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", 0n)
    const credits = new Credits(database.store, new Audit(database.store))
    const orders = [
      { kind: "grant", amount: "12.5", note: "invoice 17" },
      { kind: "refund", amount: "1", note: "a broken answer" },
      { kind: "adjustment", amount: "-3.000000001", note: "typed wrong" },
    ] as const
    for (const order of orders) await credits.add(COMMAND_LINE, "a", order)
    const page = await credits.entries(user("viewer"), "a", { limit: 2 })
    expect(page.data).toMatchObject([
      { number: 3, kind: "adjustment", amount: "-3.000000001", balance: "10.499999999" },
      { number: 2, kind: "refund", note: "a broken answer", author: "command line" },
    ])
    const rest = await credits.entries(user("viewer"), "a", { limit: 2, cursor: page.next_cursor! })
    expect(rest).toMatchObject({ data: [{ number: 1, note: "invoice 17" }], next_cursor: null })
    const refunds = await credits.entries(COMMAND_LINE, "a", { limit: 5, kind: "refund" })
    expect(refunds.data.map(({ number }) => number)).toEqual([2])
    const [last] = await database.store.audit.list({}, null, 1)
    expect(last).toMatchObject({ action: "account.entry", account: "a", actorKind: "command" })
    expect(JSON.parse(last!.after!)).toEqual({
      kind: "adjustment",
      amount: "-3.000000001",
      note: "typed wrong",
    })
  })

  test("appears in the list in chronological order, page by page", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", 0n)
    const credits = new Credits(database.store, new Audit(database.store))
    const days = ["2026-10-01", "2026-10-02", "2026-10-05", "2026-10-05", "2026-10-09"]
    for (const day of days) {
      const at = Date.parse(`${day}T12:00:00Z`)
      const entry = {
        account: "a",
        kind: "grant",
        amount: 5n,
        at,
        note: day,
        author: "me",
      } as const
      await database.store.entries.add(entry, AUDIT)
    }
    async function numbers(query: { from?: string; to?: string }): Promise<number[]> {
      const found: number[] = []
      let cursor: string | undefined
      do {
        const page = await credits.entries(user("viewer"), "a", { limit: 1, cursor, ...query })
        found.push(...page.data.map(({ number }) => number))
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined)
      return found
    }
    const [second, ninth] = ["2026-10-02T00:00:00Z", "2026-10-09T00:00:00Z"]
    expect(await numbers({ to: ninth })).toEqual([4, 3, 2, 1])
    expect(await numbers({ from: second })).toEqual([5, 4, 3, 2])
    expect(await numbers({ from: second, to: ninth })).toEqual([4, 3, 2])
    expect(await numbers({ from: ninth, to: second })).toEqual([])
    expect(await numbers({ to: "2020-01-01T00:00:00Z" })).toEqual([])
    expect(await numbers({ from: "2099-01-01T00:00:00Z" })).toEqual([])
  })

  test("fails without writing anything if its amount is invalid", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", 5_000_000_000n)
    const credits = new Credits(database.store, new Audit(database.store))
    const add = (kind: "grant" | "refund" | "adjustment", amount: string) =>
      rejection(credits.add(COMMAND_LINE, "a", { kind, amount, note: "x" }))
    for (const [kind, amount] of [
      ["grant", "0"],
      ["grant", "-1"],
      ["refund", "-1"],
      ["adjustment", "0"],
    ] as const) {
      const rejected = await add(kind, amount)
      expect(rejected).toMatchObject({ kind: "below_min_value", parameter: "amount" })
    }
    const tooMuch = await add("adjustment", "-5.1")
    expect(tooMuch).toMatchObject({ kind: "conflict", parameter: "amount" })
    expect(tooMuch.message).toContain("has 5 credits")
    for (let count = 0; count < 9; count++) {
      await credits.add(COMMAND_LINE, "a", { kind: "grant", amount: "999999999", note: "x" })
    }
    expect(await add("grant", "999999999")).toMatchObject({ kind: "above_max_value" })
    const number = (await database.store.entries.listBack("a", null, 1, null))[0]?.number
    expect(number).toBe(10)
    expect(await database.store.audit.list({ actor: COMMAND_LINE.name }, null, 99)).toHaveLength(9)
  })

  test("can be added by operators and read by members", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", 0n)
    const credits = new Credits(database.store, new Audit(database.store))
    const grant = { kind: "grant", amount: "1", note: "x" } as const
    expect((await rejection(credits.add(user("owner"), "a", grant))).kind).toBe("forbidden")
    expect((await rejection(credits.add(user(), "a", grant))).kind).toBe("not_found")
    expect((await rejection(credits.entries(user(), "a", { limit: 1 }))).kind).toBe("not_found")
    expect((await rejection(credits.credits(user(), "a"))).kind).toBe("not_found")
    for (const account of ["none", "name of a"]) {
      expect((await rejection(credits.add(COMMAND_LINE, account, grant))).kind).toBe("not_found")
      expect((await rejection(credits.credits(COMMAND_LINE, account))).kind).toBe("not_found")
    }
    const odd = credits.entries(COMMAND_LINE, "a", { limit: 1, cursor: "WyJ4Il0" })
    expect(await rejection(odd)).toMatchObject({ kind: "invalid_value", parameter: "cursor" })
  })
})

describe("leased credits in the balance", () => {
  /** Returns a process that has leased all credits and polls, as gateways do. */
  async function running(database: TestDatabase, stack: AsyncDisposableStack) {
    const payer = await database.account("a", 100_000_000_000n)
    const store = await database.another()
    const ledger = await database.ledger("node", store)
    const listeners = {
      onChanges: (changes: { recalls: readonly string[] }) => ledger.tick(changes.recalls),
      onRejoined: (id: string) => ledger.rejoin(id),
      onExpired() {},
      onFailure: console.error,
    }
    stack.use(await Node.join(store, "node", listeners))
    await ledger.lease(payer, 1n)
    return { payer, ledger }
  }

  test("disappear as soon as the leases are returned", async () => {
    await using database = await TestDatabase.open()
    await using stack = new AsyncDisposableStack()
    const { payer, ledger } = await running(database, stack)
    const hold = ledger.tryHold(database.order(payer, 30_000_000_000n))!
    const credits = new Credits(database.store, new Audit(database.store))
    const adjust = (amount: string) =>
      credits.add(COMMAND_LINE, "a", { kind: "adjustment", amount, note: "back" })
    expect(await adjust("-70")).toMatchObject({ balance: "30" })
    const held = await rejection(adjust("-0.000000001"))
    expect(held).toMatchObject({ kind: "conflict", parameter: "amount" })
    expect(held.message).toContain("Running requests hold 30 of the account's 30 credits")
    expect((await ledger.settle(hold, 20_000_000_000n, () => "{}")).charged).toBe(20_000_000_000n)
    expect(await adjust("-10")).toMatchObject({ balance: "0" })
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })

  test("include the credits held for running requests", async () => {
    await using database = await TestDatabase.open()
    await database.account("a", 10_000_000_000n)
    const node = { id: "node", process: 1, host: "test", beatAt: 1, machine: null }
    await database.store.nodes.join(node)
    const hold = { request: "req_1", account: "a", key: "key_1", at: 5_000, receipt: "{}" }
    const opened = [{ ...hold, amount: 2_500_000_000n }]
    await database.store.settlements.post("node", { postings: [], opened, closed: [] })
    const credits = new Credits(database.store, new Audit(database.store))
    expect(await credits.credits(user("viewer"), "a")).toEqual({
      balance: "10",
      held: "2.5",
      available: "7.5",
      debt: "0",
      holds: [
        {
          request: "req_1",
          key: "key_1",
          amount: "2.5",
          created_at: "1970-01-01T00:00:05.000Z",
        },
      ],
    })
  })
})
