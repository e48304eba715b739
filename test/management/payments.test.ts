import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { Stripe } from "stripe"
import { ask, asked, errorOf, startManaged } from "../http/admin/support.ts"
import type { TestGateway } from "../support/gateway.ts"

const WEBHOOK_SECRET = "whsec_for_tests"
const SECRET_KEY = "sk_test_for_tests"

interface Heard {
  readonly path: string
  readonly authorization: string | null
  readonly form: URLSearchParams
}

const heard: Heard[] = []
let answer: () => Response
let stripeServer: Bun.Server<undefined>
let gateway: TestGateway
let account: string

beforeAll(async () => {
  stripeServer = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      heard.push({
        path: new URL(request.url).pathname,
        authorization: request.headers.get("authorization"),
        form: new URLSearchParams(await request.text()),
      })
      return answer()
    },
  })
  const stripe = {
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    currency: "usd",
    baseUrl: stripeServer.url.origin,
  }
  gateway = await startManaged({ settings: { adminToken: "admin-token-for-tests", stripe } })
})

beforeEach(async () => {
  heard.length = 0
  answer = () =>
    Response.json({ id: "cs_1", object: "checkout.session", url: "https://pay.test/cs_1" })
  const name = `payer-${crypto.randomUUID()}`
  account = String((await asked(gateway, "POST", "/accounts", { name })).id)
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await stripeServer.stop(true)
})

function checkout(credits: string): Promise<Response> {
  return ask(gateway, "POST", `/accounts/${account}/checkout`, { credits })
}

describe("a payment page", () => {
  test("shows the exact price of the credits at Stripe", async () => {
    const path = `/accounts/${account}/checkout`
    expect(await asked(gateway, "POST", path, { credits: "12.50" })).toEqual({
      url: "https://pay.test/cs_1",
    })
    const [request] = heard
    expect(request?.path).toBe("/v1/checkout/sessions")
    expect(request?.authorization).toBe(`Bearer ${SECRET_KEY}`)
    expect(Object.fromEntries(request?.form ?? [])).toMatchObject({
      mode: "payment",
      "metadata[account]": account,
      "metadata[credits]": "12.50",
      "metadata[currency]": "usd",
      "line_items[0][quantity]": "1",
      "line_items[0][price_data][unit_amount]": "1250",
      "line_items[0][price_data][currency]": "usd",
      success_url: `${gateway.url}/console/credits?account=${account}&paid=yes`,
    })
  })

  test.each(["12.505", "0.001"])("has a price in whole cents: %s", async (credits) => {
    const response = await checkout(credits)
    expect(response.status).toBe(400)
    expect((await errorOf(response)).param).toBe("credits")
    expect(heard).toHaveLength(0)
  })

  test("has a maximum amount", async () => {
    const response = await checkout("1000000")
    expect((await errorOf(response)).error_type).toBe("above_max_value")
  })

  test("shows Stripe's error about the amount", async () => {
    const error = { type: "invalid_request_error", message: "The amount must be at least 50 cents" }
    answer = () => Response.json({ error }, { status: 400 })
    const response = await checkout("0.10")
    expect(response.status).toBe(400)
    expect((await errorOf(response)).message).toContain("at least 50 cents")
  })

  test("hides Stripe's error about the API key", async () => {
    const error = { type: "invalid_request_error", message: `Invalid API Key: ${SECRET_KEY}` }
    answer = () => Response.json({ error }, { status: 401 })
    const response = await checkout("10")
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain(SECRET_KEY)
  })

  test("cannot be created if payments are off", async () => {
    await using plain = await startManaged()
    const { id } = await asked(plain, "POST", "/accounts", { name: "plain" })
    const response = await ask(plain, "POST", `/accounts/${String(id)}/checkout`, { credits: "1" })
    expect(response.status).toBe(404)
    expect((await errorOf(response)).message).toContain("in the settings")
    const told = await fetch(`${plain.url}/webhooks/stripe`, { method: "POST", body: "{}" })
    expect(told.status).toBe(404)
    await told.body?.cancel()
  })
})

interface Told {
  readonly type?: string
  readonly secret?: string
  readonly changes?: Record<string, unknown>
  readonly metadata?: Record<string, string>
}

let sessions = 0

function noticeOf({
  type = "checkout.session.completed",
  changes = {},
  metadata = {},
}: Told): string {
  return JSON.stringify({
    id: `evt_${++sessions}`,
    object: "event",
    type,
    data: {
      object: {
        id: `cs_${sessions}`,
        object: "checkout.session",
        payment_status: "paid",
        currency: "usd",
        amount_subtotal: 1_250,
        amount_total: 1_250,
        metadata: { tollgate: "credits", account, credits: "12.50", currency: "usd", ...metadata },
        ...changes,
      },
    },
  })
}

async function tell(payload: string, secret = WEBHOOK_SECRET): Promise<number> {
  const { webhooks } = new Stripe("sk_test_unused")
  const signature = await webhooks.generateTestHeaderStringAsync({ payload, secret })
  const response = await fetch(`${gateway.url}/webhooks/stripe`, {
    method: "POST",
    headers: { "content-type": "application/json; charset=utf-8", "stripe-signature": signature },
    body: payload,
  })
  await response.body?.cancel()
  return response.status
}

async function balance(): Promise<unknown> {
  return (await asked(gateway, "GET", `/accounts/${account}`)).balance
}

describe("the Stripe webhook", () => {
  test("enters a payment as credits once, even if the event is repeated", async () => {
    const notice = noticeOf({})
    expect(await tell(notice)).toBe(200)
    expect(await balance()).toBe("12.5")
    expect(await tell(notice)).toBe(200)
    const others = noticeOf({ changes: { id: JSON.parse(notice).data.object.id } })
    expect(await Promise.all([tell(notice), tell(others)])).toEqual([200, 200])
    expect(await balance()).toBe("12.5")
    const entries = await gateway.store.entries.list(account, 0, 10)
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({ kind: "payment", author: "stripe" })
    const records = await gateway.store.audit.list({ accounts: [account] }, null, 10)
    expect(records.map(({ action }) => action)).toEqual(["account.payment", "account.create"])
  })

  test("stores the paid amount and the currency in the ledger entry", async () => {
    const id = `pi_${account}`
    await tell(noticeOf({ changes: { payment_intent: id, amount_total: 1_488 } }))
    await tell(noticeOf({}))
    const { data } = await asked(gateway, "GET", `/accounts/${account}/entries`)
    const paid = (data as { readonly paid: unknown }[]).map((entry) => entry.paid)
    // Stripe reported no payment for the newer one.
    expect(paid).toEqual([null, { amount: "14.88", currency: "usd" }])
    expect(await asked(gateway, "GET", "/session")).toMatchObject({
      card_payments: true,
      card_currency: "usd",
    })
  })

  test("creates one entry and one audit record if an event arrives twice simultaneously", async () => {
    const notice = noticeOf({})
    expect(await Promise.all([tell(notice), tell(notice), tell(notice)])).toEqual([200, 200, 200])
    expect(await balance()).toBe("12.5")
    const records = await gateway.store.audit.list({ accounts: [account] }, null, 10)
    expect(records.map(({ action }) => action)).toEqual(["account.payment", "account.create"])
  })

  test("enters a delayed payment only when the payment succeeds", async () => {
    const changes = { payment_status: "unpaid" }
    expect(await tell(noticeOf({ changes }))).toBe(200)
    expect(await balance()).toBe("0")
    expect(await tell(noticeOf({ type: "checkout.session.async_payment_succeeded" }))).toBe(200)
    expect(await balance()).toBe("12.5")
  })

  test("rejects an invalid signature, secret or body", async () => {
    expect(await tell(noticeOf({}), "whsec_other")).toBe(400)
    const payload = noticeOf({})
    const { webhooks } = new Stripe("sk_test_unused")
    const old = Math.floor(Date.now() / 1_000) - 3_600
    const secret = WEBHOOK_SECRET
    const late = await webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp: old })
    const fresh = await webhooks.generateTestHeaderStringAsync({ payload, secret })
    for (const [signature, body] of [
      [late, payload],
      [fresh, `${payload} `],
      ["", payload],
      ["t=1,v1=zz", payload],
    ] as const) {
      const response = await fetch(`${gateway.url}/webhooks/stripe`, {
        method: "POST",
        headers: { "stripe-signature": signature },
        body,
      })
      expect(response.status).toBe(400)
      expect(await response.text()).not.toContain(WEBHOOK_SECRET)
    }
    expect(await balance()).toBe("0")
  })

  test.each([
    ["of another kind", { type: "customer.created" }],
    ["that expired", { type: "checkout.session.expired" }],
    ["of another program", { metadata: { tollgate: "" } }],
    ["of another amount", { changes: { amount_subtotal: 1_249 } }],
    ["in another currency", { changes: { currency: "eur" } }],
    ["for a missing account", { metadata: { account: "acc_none" } }],
    ["without the amount of credits", { metadata: { credits: "" } }],
  ])("acknowledges an event that adds no credits: %s", async (_, told) => {
    expect(await tell(noticeOf(told))).toBe(200)
    expect(await balance()).toBe("0")
  })

  test("rejects a large body and unsupported methods", async () => {
    const response = await fetch(`${gateway.url}/webhooks/stripe`, {
      method: "POST",
      body: "x".repeat(300_000),
    })
    expect(response.status).toBe(413)
    await response.body?.cancel()
    const read = await fetch(`${gateway.url}/webhooks/stripe`)
    expect(read.status).toBe(405)
    await read.body?.cancel()
  })
})
