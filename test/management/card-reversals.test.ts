import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { Stripe } from "stripe"
import { AUDIT } from "../store/audit-record.ts"
import { formatCredits } from "../../src/ledger/money.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { ask, asked, startManaged } from "../http/admin/support.ts"
import { simulated, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { until } from "../support/until.ts"

const SECRET = "whsec_for_tests"
/** A model that is so slow that a request holds more than five credits for longer than the gateway waits for leases. */
const SLOW = "sim/fault-slow-first-byte-2500"
/** The payment at the beginning of each test in cents, which buys 10 credits. */
const PAID = 1_000

let stripeServer: Bun.Server<undefined>
let gateway: TestGateway
let caller: TestCaller
let account: string
/** The payment of a test, and Stripe's response to a request for the payment. */
let intent: string
let sessions: Record<string, unknown>[]
let numbers = 0

beforeAll(async () => {
  stripeServer = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const wanted = new URL(request.url).searchParams.get("payment_intent")
      const data = sessions.filter((session) => session["payment_intent"] === wanted)
      return Response.json({ object: "list", data, has_more: false, url: "/v1/checkout/sessions" })
    },
  })
  const stripe = {
    secretKey: "sk_test_for_tests",
    webhookSecret: SECRET,
    currency: "usd",
    baseUrl: stripeServer.url.origin,
  }
  gateway = await startManaged({
    models: { [SLOW]: simulated({ price: { input: "1", output: "5000" } }) },
    settings: { adminToken: "admin-token-for-tests", stripe },
  })
})

beforeEach(async () => {
  caller = await gateway.caller("0")
  account = caller.account.id
  intent = `pi_${++numbers}`
  sessions = []
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await stripeServer.stop(true)
})

async function tell(type: string, object: Record<string, unknown>): Promise<number> {
  const payload = JSON.stringify({
    id: `evt_${++numbers}`,
    object: "event",
    type,
    data: { object },
  })
  const { webhooks } = new Stripe("sk_test_unused")
  const signature = await webhooks.generateTestHeaderStringAsync({ payload, secret: SECRET })
  const response = await fetch(`${gateway.url}/webhooks/stripe`, {
    method: "POST",
    headers: { "stripe-signature": signature },
    body: payload,
  })
  await response.body?.cancel()
  return response.status
}

function session(units = PAID): Record<string, unknown> {
  const credits = formatCredits(BigInt(units) * 10_000_000n)
  return {
    id: `cs_${intent}`,
    object: "checkout.session",
    payment_status: "paid",
    payment_intent: intent,
    currency: "usd",
    amount_subtotal: units,
    amount_total: units,
    metadata: { tollgate: "credits", account, credits, currency: "usd" },
  }
}

const pay = (units = PAID) => tell("checkout.session.completed", session(units))

const refund = (id: string, amount: number, changes: Record<string, unknown> = {}) =>
  tell("refund.created", {
    id,
    object: "refund",
    payment_intent: intent,
    amount,
    currency: "usd",
    status: "succeeded",
    ...changes,
  })

/** @param sum the sum of all refunds so far, in cents. */
const refundedCharge = (sum: number) =>
  tell("charge.refunded", {
    id: `ch_${intent}`,
    object: "charge",
    payment_intent: intent,
    amount: PAID,
    amount_refunded: sum,
    currency: "usd",
  })

const dispute = (type: string, status: string, changes: Record<string, unknown> = {}) =>
  tell(`charge.dispute.${type}`, {
    id: `dp_${intent}`,
    object: "dispute",
    payment_intent: intent,
    amount: PAID,
    currency: "usd",
    status,
    ...changes,
  })

interface BalanceSnapshot {
  readonly balance: string
  readonly debt: string
}

async function standing(): Promise<BalanceSnapshot> {
  const { balance, debt } = await asked(gateway, "GET", `/accounts/${account}`)
  return { balance: String(balance), debt: String(debt) }
}

async function kinds(): Promise<string[]> {
  const entries = await gateway.store.entries.list(account, 0, 100)
  return entries.map(({ kind, amount }) => `${kind} ${formatCredits(amount)}`)
}

/** Spends some credits of the account, so that they cannot be taken back. */
const spend = (amount: string) =>
  asked(gateway, "POST", `/accounts/${account}/entries`, {
    kind: "adjustment",
    amount: `-${amount}`,
    note: "spent",
  })

const grant = (amount: string) =>
  asked(gateway, "POST", `/accounts/${account}/entries`, { kind: "grant", amount, note: "more" })

async function ledgersAreRight(): Promise<void> {
  expect((await verifyLedgers(gateway.store)).problems).toEqual([])
}

function call(): Promise<Response> {
  return caller.post("/v1/chat/completions", {
    model: "sim/echo",
    max_tokens: 10,
    messages: [{ role: "user", content: "hello" }],
  })
}

describe("a refund of a card payment", () => {
  test("removes its part of the credits once, even if its events are repeated", async () => {
    await pay()
    expect(await refund("re_a", 250)).toBe(200)
    expect(await refund("re_a", 250)).toBe(200)
    expect(await refundedCharge(250)).toBe(200)
    expect(await standing()).toEqual({ balance: "7.5", debt: "0" })
    // The event about the charge, which contains the sum, arrives before the event about the refund.
    await refundedCharge(600)
    expect(await standing()).toEqual({ balance: "4", debt: "0" })
    await refund("re_b", 350)
    await refundedCharge(250)
    expect(await standing()).toEqual({ balance: "4", debt: "0" })
    expect(await kinds()).toEqual(["payment 10", "reversal -2.5", "reversal -3.5"])
    const [, entry] = await gateway.store.entries.list(account, 0, 10)
    expect(entry).toMatchObject({ author: "stripe", note: "Stripe refund re_a" })
    const records = await gateway.store.audit.list({ accounts: [account] }, null, 10)
    expect(records.map(({ action }) => action)).toEqual([
      "account.reversal",
      "account.reversal",
      "account.payment",
    ])
    await ledgersAreRight()
  })

  test("results in one entry if it is reported several times simultaneously", async () => {
    await pay()
    const told = [1, 2, 3].flatMap(() => [refund("re_x", 400), refundedCharge(400)])
    expect(new Set(await Promise.all(told))).toEqual(new Set([200]))
    expect(await kinds()).toEqual(["payment 10", "reversal -4"])
    await Promise.all([refund("re_y", 100), refund("re_z", 200), refundedCharge(700)])
    expect(await standing()).toEqual({ balance: "3", debt: "0" })
    await ledgersAreRight()
  })

  test("returns the credits once if it fails", async () => {
    await pay()
    await refund("re_f", 1_000)
    await refundedCharge(1_000)
    expect(await standing()).toEqual({ balance: "0", debt: "0" })
    await refund("re_f", 1_000, { status: "failed" })
    expect(await standing()).toEqual({ balance: "10", debt: "0" })
    await refund("re_f", 1_000)
    expect(await kinds()).toEqual(["payment 10", "reversal -10", "reversal 10"])
    await ledgersAreRight()
  })

  test("applies even if it is reported before its payment", async () => {
    sessions = [session()]
    expect(await refund("re_early", 300)).toBe(200)
    expect(await kinds()).toEqual(["payment 10", "reversal -3"])
    expect(await pay()).toBe(200)
    expect(await standing()).toEqual({ balance: "7", debt: "0" })
    await ledgersAreRight()
  })

  test("removes the credits of a payment that an older version of Tollgate recorded", async () => {
    const paid = { id: `cs_${intent}`, account, amount: 10_000_000_000n, at: 1, note: "Stripe" }
    await gateway.store.payments.add(paid, AUDIT)
    sessions = [session()]
    await refund("re_old", 500)
    expect(await kinds()).toEqual(["payment 10", "reversal -5"])
    await ledgersAreRight()
  })

  test("does not apply if the payment belongs to another program", async () => {
    await pay()
    expect(await refund("re_foreign", 500, { payment_intent: "pi_foreign" })).toBe(200)
    expect(await refund("re_none", 500, { payment_intent: null })).toBe(200)
    expect(await standing()).toEqual({ balance: "10", debt: "0" })
  })
})

describe("refunded credits that are already spent", () => {
  test("become a debt, which blocks requests until new credits pay the debt off", async () => {
    await pay()
    await spend("7")
    await refundedCharge(1_000)
    expect(await standing()).toEqual({ balance: "0", debt: "7" })
    const rejection = await call()
    expect(rejection.status).toBe(402)
    const { error } = (await rejection.json()) as { error: Record<string, unknown> }
    expect(error).toMatchObject({ code: "insufficient_credits", debt: "7" })
    expect(error["message"]).toContain("owes 7 credits")
    const own = (await (await caller.get("/v1/credits")).json()) as Record<string, unknown>
    expect(own).toMatchObject({ balance: "0", available: "0", debt: "7" })
    expect(await asked(gateway, "GET", `/accounts/${account}/credits`)).toMatchObject({ debt: "7" })

    await grant("5")
    expect(await standing()).toEqual({ balance: "0", debt: "2" })
    const today = new Date().toISOString().slice(0, 10)
    const statement = `/accounts/${account}/statement?from=${today}&to=${today}`
    expect(await asked(gateway, "GET", `${statement}&format=json`)).toMatchObject({
      closing_balance: "0",
      closing_debt: "2",
    })
    const table = await (await ask(gateway, "GET", statement)).text()
    expect(table.trimEnd().split("\r\n").at(-1)).toContain("closing debt,,2,")
    expect((await call()).status).toBe(402)
    const { code } = await asked(gateway, "POST", "/codes", { credits: "3" })
    await asked(gateway, "POST", `/accounts/${account}/redeem`, { code })
    expect(await standing()).toEqual({ balance: "1", debt: "0" })
    expect((await call()).status).toBe(200)
    expect((await kinds()).slice(0, 7)).toEqual([
      "payment 10",
      "adjustment -7",
      "reversal -3",
      "grant 5",
      "debt -5",
      "code 3",
      "debt -2",
    ])
    await ledgersAreRight()
  })

  test("do not affect the holds of running requests, whose unused credits then pay off the debt", async () => {
    await pay()
    const long = caller.post("/v1/chat/completions", {
      model: SLOW,
      messages: [{ role: "user", content: "hello" }],
    })
    await until(async () => (await gateway.store.settlements.listHolds(account)).length === 1)
    await refundedCharge(1_000)
    const meanwhile = await standing()
    expect(Number(meanwhile.balance)).toBeGreaterThan(5)
    expect(Number(meanwhile.debt)).toBe(Number(meanwhile.balance))
    expect((await call()).status).toBe(402)
    const response = await long
    expect(response.status).toBe(200)
    await response.body?.cancel()
    // The cost of the request becomes a debt, and the balance is zero.
    const cost = response.headers.get("x-tollgate-cost") ?? ""
    expect(Number(cost)).toBeGreaterThan(0)
    await until(async () => (await standing()).balance === "0")
    expect(await standing()).toEqual({ balance: "0", debt: cost })
    expect((await call()).status).toBe(402)
    await ledgersAreRight()
  })
})

describe("a dispute of a card payment", () => {
  test("removes the credits, and returns the credits when it is won", async () => {
    await pay()
    await spend("6")
    await dispute("created", "needs_response")
    await dispute("funds_withdrawn", "needs_response")
    expect(await standing()).toEqual({ balance: "0", debt: "6" })
    await grant("1")
    expect(await standing()).toEqual({ balance: "0", debt: "5" })
    await dispute("closed", "won")
    await dispute("funds_reinstated", "won")
    expect(await standing()).toEqual({ balance: "5", debt: "0" })
    await dispute("updated", "under_review")
    expect(await standing()).toEqual({ balance: "5", debt: "0" })
    expect(await kinds()).toEqual([
      "payment 10",
      "adjustment -6",
      "reversal -4",
      "grant 1",
      "debt -1",
      "reversal 5",
    ])
    await ledgersAreRight()
  })

  test("removes no credits if it is won before it is reported", async () => {
    await pay()
    await dispute("closed", "won")
    await dispute("created", "needs_response")
    expect(await kinds()).toEqual(["payment 10"])
  })

  test("does not return credits if it is lost, and an inquiry does not remove credits", async () => {
    await pay()
    await dispute("created", "warning_needs_response")
    expect(await standing()).toEqual({ balance: "10", debt: "0" })
    await dispute("funds_withdrawn", "needs_response")
    await dispute("closed", "lost")
    expect(await standing()).toEqual({ balance: "0", debt: "0" })
  })

  test("removes, together with a refund, at most the paid credits, even in another currency", async () => {
    await pay()
    await refund("re_half", 500)
    await dispute("created", "needs_response", { amount: 930, currency: "eur" })
    expect(await kinds()).toEqual(["payment 10", "reversal -5", "reversal -5"])
    expect(await standing()).toEqual({ balance: "0", debt: "0" })
  })
})

test("card payment events in any order result in a valid ledger without a negative balance", async () => {
  await pay()
  await spend("4")
  const told: (() => Promise<number>)[] = [
    () => refund("re_1", 100),
    () => refund("re_2", 200),
    () => refundedCharge(300),
    () => refundedCharge(100),
    () => dispute("created", "needs_response", { amount: 700 }),
    () => dispute("funds_withdrawn", "needs_response", { amount: 700 }),
    () => dispute("closed", "won", { amount: 700 }),
  ]
  await Promise.all([...told, ...told.toReversed()].map((one) => one()))
  const entries = await gateway.store.entries.list(account, 0, 100)
  expect(entries.every(({ balance }) => balance >= 0n)).toBe(true)
  // Of ten credits six were left, and three of them were refunded.
  expect(await standing()).toEqual({ balance: "3", debt: "0" })
  await ledgersAreRight()
})

test("verification detects a manipulated debt", async () => {
  await pay()
  await spend("10")
  await refundedCharge(1_000)
  const path = `${gateway.settings.data}/tollgate.db`
  const { Database } = await import("bun:sqlite")
  using database = new Database(path)
  database.run("UPDATE debts SET debt = 1 WHERE account = ?", [account])
  const { problems } = await verifyLedgers(gateway.store)
  expect(problems).toMatchObject([{ account, fault: "debt" }])
  expect(problems[0]?.message).toContain("was changed after it was written")
  database.run("UPDATE debts SET debt = 10000000000 WHERE account = ?", [account])
  database.run("UPDATE card_payments SET taken = 0 WHERE account = ?", [account])
  expect((await verifyLedgers(gateway.store)).problems).toMatchObject([{ fault: "debt" }])
  database.run("UPDATE card_payments SET taken = 10000000000 WHERE account = ?", [account])
  await ledgersAreRight()
})
