import { afterAll, beforeAll, expect, test } from "bun:test"
import { AUDIT } from "../store/audit-record.ts"
import type { KeyInput } from "../support/key-issuer.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { until } from "../support/until.ts"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** Ten tokens of output at two credits a million, and a few of input at one. */
function ask(caller: TestCaller, maxTokens = 10): Promise<Response> {
  const messages = [{ role: "user", content: "/tokens 10" }]
  return caller.post("/v1/chat/completions", {
    model: "sim/echo",
    max_tokens: maxTokens,
    messages,
  })
}

interface Refusal {
  readonly error: Record<string, string>
}

const LARGE = 1_000_000_000n
/** Enough for one request of `ask`, and not for two. */
const SMALL = 150_000n

const budgets: readonly [string, Partial<KeyInput>, string][] = [
  ["budget", { budget: SMALL, dailyBudget: LARGE, monthlyBudget: LARGE }, "total"],
  ["daily budget", { budget: LARGE, dailyBudget: SMALL, monthlyBudget: LARGE }, "day"],
  ["monthly budget", { budget: LARGE, dailyBudget: LARGE, monthlyBudget: SMALL }, "month"],
]

for (const [name, order, period] of budgets) {
  test(`a used-up ${name} is refused by its name, and says when it begins again`, async () => {
    const caller = await gateway.caller("10", order)
    const headers = { "x-tollgate-on-low-balance": "refuse" }
    const body = { model: "sim/echo", max_tokens: 10 }
    const messages = [{ role: "user", content: "/tokens 10" }]
    const first = await ask(caller)
    expect(first.status).toBe(200)
    await first.text()
    let refused = await caller.post("/v1/chat/completions", { ...body, messages }, headers)
    while (refused.status === 200) {
      await refused.text()
      refused = await caller.post("/v1/chat/completions", { ...body, messages }, headers)
    }
    const { error } = (await refused.json()) as Refusal
    expect(refused.status).toBe(402)
    expect(refused.headers.get("x-should-retry")).toBe("false")
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

test("a budget that is raised while the gateway runs counts within a moment", async () => {
  const caller = await gateway.caller("10", { dailyBudget: 1n })
  const refused = await ask(caller)
  expect([refused.status, await refused.text()]).toMatchObject([402, expect.anything()])
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
