import { DAY_MS } from "../../../contract/durations.ts"
import OpenAI from "openai"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { Audit } from "../../../src/management/audit.ts"
import { BillError, type Bill } from "../../../src/management/reconciliation/bill.ts"
import { COST_APIS } from "../../../src/management/reconciliation/cost-apis.ts"
import { readOpenai } from "../../../src/management/reconciliation/openai-costs.ts"
import { Reconciliations } from "../../../src/management/reconciliation/reconciliations.ts"
import type { TimeRange } from "../../../src/store/settlements.ts"
import type { SimulatedCost } from "../../../simulator/costs/simulated-costs.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { OPERATOR } from "../actors.ts"

/** A gateway that reads the simulator's cost APIs over real sockets. */

let gateway: TestGateway
const HELLO = [{ role: "user", content: "Hello" }]

beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({ openai: provider(`${url}/v1`, "openai") }),
    models: { "openai/echo": simulated() },
  })
})
beforeEach(() => {
  gateway.simulator.costs.length = 0
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface Reading {
  readonly key: string
  readonly path?: string
  readonly allowsPrivate?: boolean
}

function read(vendor: string, days: TimeRange, { key, path = "/v1", ...others }: Reading) {
  const api = COST_APIS.get(vendor)
  if (api === undefined) throw new Error(`no cost API for ${vendor}`)
  const baseUrl = `${gateway.simulator.url}${path}`
  const { name, keyVariable } = api
  const { allowsPrivate = true } = others
  return api.read({ name, baseUrl, headers: api.headers(key), allowsPrivate, keyVariable }, days)
}

async function rejection(reading: Promise<Bill>): Promise<string> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof BillError)) throw new Error(`not rejected: ${error}`)
  expect(`${error.message} ${error.hint}`).not.toContain("sk-")
  return error.message
}

const days = (from: string, until: string): TimeRange => ({
  from: Date.parse(from),
  until: Date.parse(until),
})
const OCTOBER = days("2026-10-01", "2026-11-01")

function cost(day: string, facts: Partial<SimulatedCost> = {}): SimulatedCost {
  return { day, model: "gpt-5.4", class: "input", quantity: 1_000, amount: "0.001", ...facts }
}

test("a bill for the gateway's own calls agrees exactly with the ledger", async () => {
  const caller = await gateway.caller("1")
  for (const stream of [false, true]) {
    const order = { model: "openai/echo", messages: HELLO, stream }
    const response = await caller.post("/v1/chat/completions", order)
    expect([response.status, await response.text()]).toEqual([200, expect.anything()])
  }
  const receipts = await gateway.store.settlements.listReceipts(
    { from: 0, until: Date.now() + DAY_MS },
    "",
    9,
  )
  expect(receipts).toHaveLength(2)
  const facts = { requests: 1, model: "echo-2026-11-01", key: "key_1" }
  for (const { at, body } of receipts) {
    const { input, output } = JSON.parse(body).usage as { input: number; output: number }
    const day = dayText(at)
    // The prices are one and two credits per million.
    gateway.simulator.costs.push(
      cost(day, { ...facts, quantity: input, amount: micros(input) }),
      cost(day, { ...facts, class: "output", quantity: output, amount: micros(2 * output) }),
    )
  }
  const from = Date.parse(dayText(receipts[0]?.at ?? 0))
  const span = { from, until: from + 2 * DAY_MS }
  const service = new Reconciliations(gateway.store, new Audit(gateway.store))
  const compared = async () => {
    const bill = await read("openai", span, { key: "sk-admin-1" })
    return service.reconcile(OPERATOR, { provider: "openai", days: span, bill, models: [] })
  }
  expect(await compared()).toMatchObject({
    source: "OpenAI's cost API",
    difference: "0",
    lines: [],
  })

  // Another client uses the same key in a more expensive tier.
  const shared = { quantity: 1_000, amount: "0.0025", requests: 9, tier: "priority" }
  gateway.simulator.costs.push(cost(dayText(from), { ...facts, ...shared }))
  expect(await compared()).toMatchObject({
    difference: "0.0025",
    lines: [{ model: "echo", class: "input", key: null, cause: "other_clients" }],
  })
})

function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

function micros(amount: number): string {
  return `0.${String(amount).padStart(6, "0")}`
}

describe("the reader of OpenAI's cost API", () => {
  test("returns price classes, service tiers and keys from all pages", async () => {
    const { costs } = gateway.simulator
    const whole = days("2026-08-01", "2026-11-01")
    costs.push(
      cost("2026-07-31", { amount: "100" }),
      cost("2026-08-01", { key: "key_1" }),
      cost("2026-09-15", { class: "cached_input", amount: "0.000000125000000001" }),
      cost("2026-10-31", { class: "output", tier: "flex", requests: 4 }),
      cost("2026-10-31", { model: "", class: "search", quantity: 3, amount: "0.03" }),
      cost("2026-10-31", { model: "text-embedding-3-large", quantity: 7 }),
      cost("2026-11-01", { amount: "100" }),
    )
    const before = gateway.simulator.requests.length
    const { rows } = await read("openai", whole, { key: "sk-admin-1" })
    const asked = gateway.simulator.requests.slice(before).map(({ path }) => path.split("?")[0])
    // There are three lists of 92 days, with 31 days per page.
    expect(asked).toHaveLength(9)
    expect(rows).toHaveLength(5)
    expect(rows).toMatchObject([
      { model: "gpt-5.4", key: "key_1", class: "input", quantity: 1_000n, amount: 10n ** 15n },
      { class: "cached_input", amount: 125_000_000_001n },
      { class: "output", tiers: ["flex"], requests: 4, day: Date.parse("2026-10-31") },
      { model: "", class: "search", amount: 3n * 10n ** 16n },
      { model: "text-embedding-3-large", quantity: 7n },
    ])
  })

  test("can be tested with a simulator that is compatible with OpenAI's client", async () => {
    const { costs, url } = gateway.simulator
    costs.push(cost("2026-10-03"), cost("2026-10-03", { class: "output", amount: "0.25" }))
    const client = new OpenAI({ adminAPIKey: "sk-admin-1", baseURL: `${url}/v1` })
    const { usage } = client.admin.organization
    const order = { start_time: OCTOBER.from / 1_000, end_time: OCTOBER.until / 1_000, limit: 2 }
    const first = await usage.costs({ ...order, group_by: ["line_item"] })
    expect(first).toMatchObject({ has_more: true, data: [{ results: [] }, { results: [] }] })
    const page = first.next_page ?? ""
    const { data } = await usage.costs({ ...order, group_by: ["line_item"], page })
    expect(data[0]?.results).toMatchObject([
      { line_item: "gpt-5.4, input_tokens", amount: { value: 0.001, currency: "usd" } },
      { line_item: "gpt-5.4, output_tokens", quantity: 1_000, quantity_unit: "tokens" },
    ])
    const whole = await usage.costs({ ...order, page })
    expect(whole.data[0]?.results).toMatchObject([{ line_item: null, amount: { value: 0.251 } }])
  })

  test.each([
    ["sk-user", "OPENAI_ADMIN_KEY (403)"],
    ["sk-admin-429", "status 429"],
    ["sk-admin-503", "status 503"],
  ])("returns the gateway's own error message if OpenAI rejects the key %s", async (key, words) => {
    expect(await rejection(read("openai", OCTOBER, { key }))).toContain(words)
  })

  test("rejects another currency, impossible amounts and a private address", async () => {
    const { costs } = gateway.simulator
    costs.push(cost("2026-10-02", { currency: "EUR" }))
    const key = "sk-admin-1"
    expect(await rejection(read("openai", OCTOBER, { key }))).toContain("bills in 'eur'")
    costs[0] = cost("2026-10-02", { amount: "1000000.01" })
    expect(await rejection(read("openai", OCTOBER, { key }))).toContain(
      "more than a million credits",
    )
    const reading = read("openai", OCTOBER, { key, allowsPrivate: false })
    expect(await rejection(reading)).toContain("it is not on the public internet")
    const lost = read("openai", OCTOBER, { key, path: "/v2" })
    expect(await rejection(lost)).toContain("/v2/organization/costs with status 404")
  })
})

describe("validation of a cost list", () => {
  const bucket = { start_time: OCTOBER.from / 1_000, results: [] }
  test.each([
    [{ data: [], has_more: true, next_page: "again" }, "did not end its list"],
    [{ data: [], has_more: true, next_page: null }, "did not end its list"],
    [{ data: [bucket, bucket], has_more: false }, "the day 2026-10-01 twice"],
    [{ data: [{ results: [] }], has_more: false }, "a bucket without a day"],
    [{ data: [{ start_time: 1e300, results: [] }], has_more: false }, "a bucket without a day"],
    [{ data: [{ ...bucket, results: [{}] }], has_more: false }, "(data.0.results.0.amount)"],
    ["<html>", "in an unknown format"],
  ])("rejects %j", async (body, words) => {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(text) })
    expect(await rejection(readAt(server.port))).toContain(words)
  })
})

test.each(["", "{"])(
  "a cost API response that stalls after its headers and '%s' is aborted",
  async (start) => {
    const head = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n"
    using server = Bun.listen({
      port: 0,
      hostname: "127.0.0.1",
      socket: { data: (socket) => void socket.write(head + start) },
    })
    const reading = readAt(server.port, 500)
    expect(await rejection(reading)).toBe("the API: the response took longer than 0.5 s")
  },
)

function readAt(port: number | undefined, timeoutMs?: number): Promise<Bill> {
  const baseUrl = `http://127.0.0.1:${port}`
  const access = { headers: {}, allowsPrivate: true, keyVariable: "X" }
  return readOpenai(
    { name: "the API", baseUrl, ...access, ...(timeoutMs && { timeoutMs }) },
    OCTOBER,
  )
}

test("Anthropic's costs are read as cents, with cache classes and searches", async () => {
  const claude = { model: "claude-sonnet-4-5-20250929" }
  const whole = days("2026-09-01", "2026-11-01")
  gateway.simulator.costs.push(
    cost("2026-09-30", { ...claude, amount: "0.00300000000123" }),
    cost("2026-09-30", { ...claude, class: "cache_write", amount: "0.00375" }),
    cost("2026-10-31", { ...claude, class: "cache_write_1h", tier: "batch", amount: "0.003" }),
    cost("2026-10-31", { ...claude, class: "search", quantity: 2, amount: "0.02" }),
  )
  const reading = { key: "sk-ant-admin-1", path: "" }
  const { rows } = await read("anthropic", whole, reading)
  expect(rows).toMatchObject([
    {
      ...claude,
      class: "input",
      quantity: 1_000n,
      amount: 3_000_000_001_230_000n,
      tiers: ["standard"],
    },
    { class: "cache_write", amount: 375n * 10n ** 13n },
    { class: "cache_write_1h", quantity: 1_000n, tiers: ["batch"] },
    { model: "", class: "search", quantity: 2n, amount: 2n * 10n ** 16n },
  ])
  const user = read("anthropic", whole, { ...reading, key: "sk-ant-api" })
  expect(await rejection(user)).toContain("ANTHROPIC_ADMIN_KEY (401)")
  const busy = read("anthropic", whole, { ...reading, key: "sk-ant-admin-529" })
  expect(await rejection(busy)).toContain("status 529")
})

test("OpenRouter's costs of the last thirty days are read with all tokens per model", async () => {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const day = dayText(today - DAY_MS)
  const model = "openai/gpt-5.4"
  gateway.simulator.costs.push(
    cost(day, { model, requests: 2 }),
    cost(day, { model, class: "output", quantity: 500, requests: 2 }),
    cost(dayText(today - 2 * DAY_MS), { model }),
  )
  const yesterday = { from: today - DAY_MS, until: today }
  const reading = { key: "sk-or-management-1", path: "/api/v1" }
  expect(await read("openrouter", yesterday, reading)).toMatchObject({
    rows: [{ model, class: null, quantity: 1_500n, amount: 2n * 10n ** 15n, requests: 2 }],
    skipped: 1,
  })
  const user = read("openrouter", yesterday, { ...reading, key: "sk-or-v1" })
  expect(await rejection(user)).toContain("OPENROUTER_MANAGEMENT_KEY (403)")
  const old = read("openrouter", { from: today - 31 * DAY_MS, until: today }, reading)
  expect(await rejection(old)).toContain("only the last 30 days")
})
