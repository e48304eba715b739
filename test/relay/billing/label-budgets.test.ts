import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI from "openai"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import { ask, asked, errorOf, startManaged } from "../../http/admin/support.ts"
import type { TestCaller, TestGateway } from "../../support/gateway.ts"

const CHAT = "/v1/chat/completions"
const REJECT = { "x-tollgate-on-low-balance": "refuse" }

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startManaged()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** A request with ten output tokens at two credits per million, and a few input tokens at one credit per million. */
const body = {
  model: "sim/echo",
  max_tokens: 10,
  messages: [{ role: "user", content: "/tokens 10" }],
}

async function limit(caller: TestCaller, budgets: readonly object[]): Promise<void> {
  const path = `/accounts/${caller.account.id}/label-budgets`
  expect(await asked(gateway, "PUT", path, { budgets })).toMatchObject({ budgets })
}

async function chat(caller: TestCaller, headers: Record<string, string> = {}, more: object = {}) {
  const response = await caller.post(CHAT, { ...body, ...more }, { ...REJECT, ...headers })
  const answer = (await response.json()) as { error?: Record<string, string> }
  return { status: response.status, id: response.headers.get("x-request-id"), error: answer.error }
}

/** Sends chats until one is rejected. */
async function useUp(caller: TestCaller, headers: Record<string, string> = {}, more: object = {}) {
  let last = await chat(caller, headers, more)
  for (let count = 0; last.status === 200; count++) {
    expect(count).toBeLessThan(50)
    last = await chat(caller, headers, more)
  }
  return last
}

test("an end user with a used-up budget is rejected while other end users are still served", async () => {
  const caller = await gateway.caller("10")
  await limit(caller, [
    { user: "*", daily_budget: "0.0001", monthly_budget: null },
    { user: "alice@example.com", daily_budget: "0.00002", monthly_budget: "0.0005" },
  ])
  const first = await chat(caller, { "x-tollgate-user": "bob" })
  expect(first.status).toBe(200)
  const receipt = (await (await caller.get(`/v1/receipts/${first.id}`)).json()) as {
    user: string
    label_budgets: string[]
  }
  const day = new Date().toISOString().slice(0, 10)
  expect(receipt).toMatchObject({ user: "bob", label_budgets: [`user=bob@${day}`] })
  const rejected = await useUp(caller, { "x-tollgate-user": "bob" })
  expect(rejected.status).toBe(402)
  expect(rejected.error).toMatchObject({
    code: "label_budget_exceeded",
    budget: "day",
    user: "bob",
  })
  expect(rejected.error?.["message"]).toContain("The end user 'bob' has")
  expect(Date.parse(rejected.error?.["resets_at"] ?? "")).toBeGreaterThan(Date.now())
  expect((await chat(caller, { "x-tollgate-user": "carol" })).status).toBe(200)
  // The body names alice. Her budget is less than the cost of one request.
  const alice = await chat(caller, {}, { user: "alice@example.com" })
  expect(alice.error).toMatchObject({ code: "label_budget_exceeded", user: "alice@example.com" })
  expect((await chat(caller)).status).toBe(200)
  const path = `/accounts/${caller.account.id}/label-budgets/spent`
  const { data } = await asked(gateway, "GET", path)
  const rows = data as { user: string; period: string; left: string; spent: string }[]
  expect(rows.map(({ user, period }) => [user, period])).toEqual([
    ["alice@example.com", "month"],
    ["alice@example.com", "day"],
    ["bob", "day"],
    ["carol", "day"],
  ])
  const bob = rows.find(({ user }) => user === "bob")
  expect(bob?.left).toBe(rejected.error?.["balance"] ?? "")
  expect((await verifyLedgers(gateway.store)).problems).toEqual([])
})

test("a budget for a tag, or for each of its values, covers all keys and end users", async () => {
  const caller = await gateway.caller("10")
  await limit(caller, [
    { tag: "feature=search", daily_budget: null, monthly_budget: "0.00008" },
    { tag: "team=*", daily_budget: "0.00008", monthly_budget: null },
  ])
  const search = await useUp(caller, { "x-tollgate-tags": "feature=search, run=1" })
  expect(search.error).toMatchObject({ code: "label_budget_exceeded", tag: "feature=search" })
  const blue = await useUp(caller, {}, { metadata: { team: "blue" }, store: true })
  expect(blue.error).toMatchObject({ code: "label_budget_exceeded", tag: "team=blue" })
  expect((await chat(caller, { "x-tollgate-tags": "team=red, feature=chat" })).status).toBe(200)
})

test("simultaneous requests spend no more than the budget", async () => {
  const caller = await gateway.caller("10")
  await limit(caller, [{ user: "*", daily_budget: "0.00021", monthly_budget: null }])
  const responses = await Promise.all(
    Array.from({ length: 60 }, () => chat(caller, { "x-tollgate-user": "crowd" })),
  )
  // If credits are held by other requests, the status is 429. If they are spent, the status is 402.
  for (const { status } of responses) expect([200, 402, 429]).toContain(status)
  const path = `/accounts/${caller.account.id}/label-budgets/spent`
  const { data } = await asked(gateway, "GET", path)
  const [row] = data as { spent: string; left: string }[]
  const served = responses.filter(({ status }) => status === 200)
  expect(served.length).toBeGreaterThan(1)
  expect(served.length).toBeLessThan(responses.length)
  const receipts = await Promise.all(
    served.map(async ({ id }) => (await caller.get(`/v1/receipts/${id}`)).json()),
  )
  const nano = (text: string) => BigInt(Math.round(Number(text) * 1e9))
  const charged = (receipts as { charged: string }[]).reduce(
    (sum, one) => sum + nano(one.charged),
    0n,
  )
  expect(nano(row?.spent ?? "")).toBe(charged)
  expect(nano(row?.spent ?? "") + nano(row?.left ?? "")).toBe(nano("0.00021"))
  expect((await verifyLedgers(gateway.store)).problems).toEqual([])
})

test("the official client gets the budget error, and an estimate reports the same budget", async () => {
  const caller = await gateway.caller("10")
  await limit(caller, [{ user: "*", daily_budget: "0.000001", monthly_budget: null }])
  const client = new OpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1`, maxRetries: 2 })
  const call = client.chat.completions.create({
    model: "sim/echo",
    max_completion_tokens: 100,
    user: "dave",
    messages: [{ role: "user", content: "/tokens 10" }],
  })
  const error = (await call.catch((reason: unknown) => reason)) as InstanceType<
    typeof OpenAI.APIError
  >
  expect([error.status, error.code]).toEqual([402, "label_budget_exceeded"])
  const estimate = await caller.post("/v1/estimate", {
    path: CHAT,
    body: { ...body, user: "dave" },
  })
  const text = JSON.stringify(await estimate.json())
  expect(text).toContain('{"of":"label","user":"dave","budget":"day","left":"0.000001"}')
})

test("an invalid budget is rejected with the name of its field", async () => {
  const caller = await gateway.caller("1")
  const path = `/accounts/${caller.account.id}/label-budgets`
  const none = { daily_budget: "1" }
  const wrong: readonly [object, string][] = [
    [{ budgets: [none] }, "budgets[0]"],
    [{ budgets: [{ user: "a", tag: "a=b", daily_budget: "1" }] }, "budgets[0]"],
    [{ budgets: [{ user: "a" }] }, "budgets[0].daily_budget"],
    [{ budgets: [{ user: "a", daily_budget: "0" }] }, "budgets[0].daily_budget"],
    [{ budgets: [{ tag: "feature", daily_budget: "1" }] }, "budgets[0].tag"],
    [{ budgets: [{ user: "a\nb", daily_budget: "1" }] }, "budgets[0].user"],
    [
      {
        budgets: [
          { user: "a", ...none },
          { user: "a", ...none },
        ],
      },
      "budgets",
    ],
    [
      { budgets: Array.from({ length: 101 }, (_, user) => ({ user: `${user}`, ...none })) },
      "budgets",
    ],
    [{ budgets: [{ user: "a", daily: "1" }] }, "budgets[0].daily"],
  ]
  for (const [given, parameter] of wrong) {
    const answer = await ask(gateway, "PUT", path, given)
    expect(answer.status).toBe(400)
    expect((await errorOf(answer)).param).toBe(parameter)
  }
  expect(await asked(gateway, "GET", path)).toEqual({ budgets: [] })
})

test("a change of other account limits keeps the label budgets", async () => {
  const caller = await gateway.caller("1")
  const path = `/accounts/${caller.account.id}`
  const budgets = [{ user: null, tag: "team=a b", daily_budget: "1", monthly_budget: null }]
  await asked(gateway, "PATCH", path, { requests_per_minute: 60 })
  await limit(caller, budgets)
  await asked(gateway, "PATCH", path, { tokens_per_minute: 600 })
  expect(await asked(gateway, "GET", path)).toMatchObject({
    requests_per_minute: 60,
    tokens_per_minute: 600,
  })
  expect(await asked(gateway, "GET", `${path}/label-budgets`)).toEqual({ budgets })
  await limit(caller, [])
  expect(await asked(gateway, "GET", path)).toMatchObject({ requests_per_minute: 60 })
})
