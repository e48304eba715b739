import { afterAll, beforeAll, expect, test } from "bun:test"
import type { TestGateway } from "../../support/gateway.ts"
import { ask, asked, errorOf, startManaged } from "./support.ts"

let gateway: TestGateway
let account: string

beforeAll(async () => {
  gateway = await startManaged()
  const made = await asked(gateway, "POST", "/accounts", { name: "Payer, Inc.", credits: "5" })
  account = `/accounts/${String(made.id)}`
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

test("a manual entry is written to the ledger with its reason and author", async () => {
  const refund = { kind: "refund", amount: "1.5", note: "an outage" }
  expect(await asked(gateway, "POST", `${account}/entries`, refund)).toMatchObject({
    ...refund,
    number: 2,
    balance: "6.5",
    author: "admin token",
  })
  const taken = { kind: "adjustment", amount: "-0.5", note: "a mistake" }
  expect(await asked(gateway, "POST", `${account}/entries`, taken)).toMatchObject({ balance: "6" })
  const page = await asked(gateway, "GET", `${account}/entries?limit=2`)
  expect((page.data as { number: number }[]).map(({ number }) => number)).toEqual([3, 2])
  const next = `${account}/entries?limit=2&cursor=${String(page.next_cursor)}`
  expect((await asked(gateway, "GET", next)).data).toHaveLength(1)
  const grants = await asked(gateway, "GET", `${account}/entries?kind=grant`)
  expect(grants.data).toHaveLength(1)
  expect(await asked(gateway, "GET", `${account}/credits`)).toEqual({
    balance: "6",
    held: "0",
    available: "6",
    debt: "0",
    holds: [],
  })
})

test.each([
  [{ kind: "grant", amount: "-1", note: "x" }, "amount"],
  [{ kind: "grant", amount: "1" }, "note"],
  [{ kind: "charge", amount: "1", note: "x" }, "kind"],
  [{ kind: "grant", amount: "1e3", note: "x" }, "amount"],
])("an invalid manual entry is rejected: %#", async (order, parameter) => {
  const response = await ask(gateway, "POST", `${account}/entries`, order)
  expect(response.status).toBe(400)
  expect((await errorOf(response)).param).toBe(parameter)
})

test.each([
  ["1,50", "write 1.50"],
  ["1,500", "write 1500"],
  ["1.234,50", "write 1234.50"],
])(
  "an amount with a comma is rejected, and the error contains the correct format: '%s'",
  async (amount, advice) => {
    const orders: [string, object][] = [
      [`${account}/entries`, { kind: "grant", amount, note: "x" }],
      ["/codes", { credits: amount }],
      ["/accounts", { name: `with ${amount}`, credits: amount }],
    ]
    for (const [path, order] of orders) {
      const response = await ask(gateway, "POST", path, order)
      expect(response.status).toBe(400)
      expect((await errorOf(response)).message).toContain(
        `must not have a comma, which can be read in two ways: ${advice}.`,
      )
    }
    const response = await ask(gateway, "PATCH", "/settings", { multiplier: amount })
    expect((await errorOf(response)).message).toContain(advice)
  },
)

test("a credit code adds its credits to each account at most once", async () => {
  const code = await asked(gateway, "POST", "/codes", {
    credits: "2",
    uses: 2,
    note: "<b>fair</b>",
  })
  const redeemed = await asked(gateway, "POST", `${account}/redeem`, { code: code.code })
  expect(redeemed).toMatchObject({ kind: "code", amount: "2" })
  const twice = await ask(gateway, "POST", `${account}/redeem`, { code: code.code })
  expect(twice.status).toBe(409)
  await twice.body?.cancel()
  const { data } = (await asked(gateway, "GET", "/codes")) as { data: Record<string, unknown>[] }
  expect(data[0]).toMatchObject({ id: code.id, used: 1, uses: 2, note: "<b>fair</b>" })
  expect(JSON.stringify(data)).not.toContain(String(code.code))
  const revoked = await asked(gateway, "POST", `/codes/${String(code.id)}/revoke`)
  expect(revoked.status).toBe("revoked")
})

test("the error for an invalid credit code names the field", async () => {
  const response = await ask(gateway, "POST", `${account}/redeem`, { code: "TG-0000" })
  expect(response.status).toBe(400)
  expect((await errorOf(response)).param).toBe("code")
})

test("a statement is a file with the ledger entries of the requested days", async () => {
  const today = new Date().toISOString().slice(0, 10)
  const path = `${account}/statement?from=${today}&to=${today}`
  const csv = await ask(gateway, "GET", path)
  expect(csv.status).toBe(200)
  expect(csv.headers.get("content-type")).toStartWith("text/csv")
  expect(csv.headers.get("content-disposition")).toMatch(/^attachment; filename="[\w.-]+\.csv"$/)
  expect(csv.headers.get("cache-control")).toBe("no-store")
  expect(await csv.text()).toContain("an outage")
  const json = await ask(gateway, "GET", `${path}&format=json`)
  const statement = (await json.json()) as { entries?: unknown[] }
  expect(statement.entries?.length).toBeGreaterThan(2)
  for (const query of ["", `?from=${today}&to=2020-01-01`, `?from=today&to=${today}`]) {
    const response = await ask(gateway, "GET", `${account}/statement${query}`)
    expect(response.status).toBe(400)
    await response.body?.cancel()
  }
})

test("the totals of a statement are returned as a file or as a page without scripts", async () => {
  const today = new Date().toISOString().slice(0, 10)
  const days = `${account}/statement?from=${today}&to=${today}`
  const csv = await ask(gateway, "GET", `${days}&content=totals`)
  expect(csv.headers.get("content-disposition")).toMatch(/^attachment; filename=".*-totals\.csv"$/)
  expect(await csv.text()).toStartWith("part,name,id,entries,amount\r\nbalance,opening balance,")
  const page = await ask(gateway, "GET", `${days}&format=html`)
  expect(page.headers.get("content-disposition")).toStartWith("inline")
  expect(page.headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src")
  expect(await page.text()).toContain("Closing balance")
})
