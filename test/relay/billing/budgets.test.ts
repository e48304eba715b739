import { afterAll, beforeAll, expect, test } from "bun:test"
import { AUDIT } from "../../store/audit-record.ts"
import type { KeyInput } from "../../support/key-issuer.ts"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import { startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { until } from "../../support/until.ts"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/**
 * Sends a request with ten output tokens at two credits per million, and a few input tokens at one credit per million.
 */
function ask(caller: TestCaller, maxTokens = 10): Promise<Response> {
  const messages = [{ role: "user", content: "/tokens 10" }]
  return caller.post("/v1/chat/completions", {
    model: "sim/echo",
    max_tokens: maxTokens,
    messages,
  })
}

interface Rejection {
  readonly error: Record<string, string>
}

const LARGE = 1_000_000_000n
/** A budget in nanocredits that is enough for one request of `ask` but not for two. */
const SMALL = 150_000n

const budgets: readonly [string, Partial<KeyInput>, string][] = [
  ["budget", { budget: SMALL, dailyBudget: LARGE, monthlyBudget: LARGE }, "total"],
  ["daily budget", { budget: LARGE, dailyBudget: SMALL, monthlyBudget: LARGE }, "day"],
  ["monthly budget", { budget: LARGE, dailyBudget: LARGE, monthlyBudget: SMALL }, "month"],
]

test("a used-up account budget rejects requests of all keys and is named in the error", async () => {
  const caller = await gateway.caller("10")
  const { id } = caller.account
  await gateway.store.accounts.update(id, { limits: { dailyBudget: String(SMALL) } }, AUDIT)
  const told = async () =>
    (await (await caller.get("/v1/credits")).json()) as { limits: Record<string, string | null> }
  await until(async () => (await told()).limits["daily_budget"] === "0.00015")
  const headers = { "x-tollgate-on-low-balance": "refuse" }
  const body = { model: "sim/echo", max_tokens: 10 }
  const messages = [{ role: "user", content: "/tokens 10" }]
  let response: Response
  let answered = 0
  do {
    response = await caller.post("/v1/chat/completions", { ...body, messages }, headers)
    if (response.status === 200) answered++
    if (response.status === 200) await response.text()
  } while (response.status === 200)
  expect(answered).toBeGreaterThan(0)
  const { error } = (await response.json()) as Rejection
  expect(response.status).toBe(402)
  expect(error).toMatchObject({ code: "account_budget_exceeded", budget: "day" })
  expect(error["message"]).toContain("This account has")
  expect(Date.parse(error["resets_at"] ?? "")).toBeGreaterThan(Date.now())
  expect((await told()).limits["daily_budget_left"]).toBe(error["balance"]!)
  expect((await verifyLedgers(gateway.store)).problems).toEqual([])
})

for (const [name, order, period] of budgets) {
  test(`a used-up ${name} rejects requests and returns its name and renewal time`, async () => {
    const caller = await gateway.caller("10", order)
    const headers = { "x-tollgate-on-low-balance": "refuse" }
    const body = { model: "sim/echo", max_tokens: 10 }
    const messages = [{ role: "user", content: "/tokens 10" }]
    const first = await ask(caller)
    expect(first.status).toBe(200)
    await first.text()
    let rejected = await caller.post("/v1/chat/completions", { ...body, messages }, headers)
    while (rejected.status === 200) {
      await rejected.text()
      rejected = await caller.post("/v1/chat/completions", { ...body, messages }, headers)
    }
    const { error } = (await rejected.json()) as Rejection
    expect(rejected.status).toBe(402)
    expect(rejected.headers.get("x-should-retry")).toBe("false")
    expect(error).toMatchObject({ code: "key_budget_exceeded", budget: period })
    expect(error["message"]).toContain(`credits of its ${name} left`)
    if (period === "total") expect(error["resets_at"]).toBeUndefined()
    else {
      expect(error["message"]).toContain(`It starts again at ${error["resets_at"]}`)
      expect(Date.parse(error["resets_at"] ?? "")).toBeGreaterThan(Date.now())
    }
    const credits = (await (await caller.get("/v1/credits")).json()) as {
      key: Record<string, string>
    }
    const left = { total: "budget_left", day: "daily_budget_left", month: "monthly_budget_left" }
    const field = left[period as keyof typeof left]
    expect(credits.key[field]).toBe(error["balance"]!)
    expect((await verifyLedgers(gateway.store)).problems).toEqual([])
  })
}

test("a raised budget takes effect without a restart", async () => {
  const caller = await gateway.caller("10", { dailyBudget: 1n })
  const rejected = await ask(caller)
  expect([rejected.status, await rejected.text()]).toMatchObject([402, expect.anything()])
  await gateway.store.keys.update(caller.keyId, { dailyBudget: LARGE }, AUDIT)
  await until(async () => {
    const response = await ask(caller)
    await response.text()
    return response.status === 200
  })
  await gateway.store.keys.update(caller.keyId, { dailyBudget: null }, AUDIT)
  const free = await ask(caller)
  expect(free.status).toBe(200)
})
