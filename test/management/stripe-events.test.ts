import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import { Stripe } from "stripe"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { startManaged } from "../http/admin/support.ts"
import { stripeWebhook } from "../../src/http/admin/stripe-webhook.ts"
import { type Heard, recorder, type TestGateway } from "../support/gateway.ts"
import { until } from "../support/until.ts"
import { sampleRuns } from "../support/exhaustive.ts"

const SECRET = "whsec_for_tests"
/** The amount of each payment in cents, and in nanocredits. */
const PAID = 1_000
const CREDITS = 10_000_000_000n

let stripeServer: Bun.Server<undefined>
let gateway: TestGateway
let numbers = 0

beforeAll(async () => {
  stripeServer = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ object: "list", data: [], has_more: false, url: "/" }),
  })
  const baseUrl = stripeServer.url.origin
  const stripe = { secretKey: "sk_test", webhookSecret: SECRET, currency: "usd", baseUrl }
  gateway = await startManaged({ settings: { adminToken: "admin-token-for-tests", stripe } })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await stripeServer.stop(true)
})

type Fields = Record<string, unknown>

async function tell(payload: string): Promise<number> {
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

function eventOf(type: string, object: unknown): Fields {
  return {
    id: `evt_${++numbers}`,
    object: "event",
    api_version: "2026-01-01",
    type,
    data: { object },
  }
}

interface Payer {
  readonly account: string
  readonly intent: string
}

function sessionOf({ account, intent }: Payer): Fields {
  return {
    id: `cs_${intent}`,
    object: "checkout.session",
    payment_status: "paid",
    payment_intent: intent,
    currency: "usd",
    amount_subtotal: PAID,
    amount_total: PAID,
    metadata: { tollgate: "credits", account, credits: "10", currency: "usd" },
  }
}

/** Returns an event of each type that the gateway handles. */
function handled(payer: Payer): Record<string, Fields> {
  const { intent } = payer
  const common = { payment_intent: intent, currency: "usd" }
  const refund = {
    ...common,
    id: `re_${++numbers}`,
    object: "refund",
    amount: 200,
    status: "succeeded",
  }
  const dispute = {
    ...common,
    id: `dp_${intent}`,
    object: "dispute",
    amount: PAID,
    status: "needs_response",
  }
  return {
    "checkout.session.completed": sessionOf(payer),
    "checkout.session.async_payment_succeeded": sessionOf(payer),
    "charge.refunded": {
      ...common,
      id: `ch_${intent}`,
      object: "charge",
      amount: PAID,
      amount_refunded: 300,
    },
    "refund.created": refund,
    "refund.updated": refund,
    "refund.failed": { ...refund, status: "failed" },
    "charge.refund.updated": refund,
    "charge.dispute.created": dispute,
    "charge.dispute.updated": { ...dispute, status: "under_review" },
    "charge.dispute.funds_withdrawn": dispute,
    "charge.dispute.closed": { ...dispute, status: "lost" },
    "charge.dispute.funds_reinstated": { ...dispute, status: "won" },
  }
}

async function newPayer(): Promise<Payer> {
  const caller = await gateway.caller("0")
  return { account: caller.account.id, intent: `pi_${++numbers}` }
}

async function balanceOf({ account }: Payer): Promise<bigint> {
  return (await gateway.store.accounts.find(account))?.balance ?? -1n
}

const alarms = (): string[] =>
  gateway.heard.flatMap(({ name, facts }) => (name === "warning" ? [String(facts[0])] : []))

const UNITS = [
  -5,
  -0.5,
  1.5,
  1e20,
  1e308,
  2 ** 53,
  "5",
  "-5",
  "1e3",
  true,
  [],
  {},
  [5],
  null,
  undefined,
]

/** Values that no field of an event can have. */
const ODD: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...UNITS, "", "x".repeat(10_000), "\u0000", "usd ", "USD", "xyz", "reversed", 0),
  fc.jsonValue(),
)

/** A change of an event: one or two fields get another value or are removed. */
const MUTATION = fc.record({
  type: fc.constantFrom(...Object.keys(handled({ account: "", intent: "" }))),
  place: fc.constantFrom("object", "object", "object", "metadata", "data", "event"),
  fields: fc.array(fc.tuple(fc.nat(), fc.option(ODD, { nil: undefined })), {
    minLength: 1,
    maxLength: 2,
  }),
})

/** Replaces fields by their index within an object. */
function mutated(object: Fields, changes: readonly (readonly [number, unknown])[]): Fields {
  const names = Object.keys(object)
  const result = { ...object }
  for (const [place, value] of changes) result[names[place % names.length] ?? ""] = value
  return result
}

test("each signed Stripe event is acknowledged, and never changes credits in the wrong direction", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(MUTATION, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (mutations, isPaid) => {
        const payer = await newPayer()
        // A session with another id belongs to another payment.
        const sessions = new Set([`cs_${payer.intent}`])
        if (isPaid) {
          expect(
            await tell(JSON.stringify(eventOf("checkout.session.completed", sessionOf(payer)))),
          ).toBe(200)
          expect(await balanceOf(payer)).toBe(CREDITS)
        }
        for (const { type, place, fields } of mutations) {
          let event = eventOf(type, handled(payer)[type])
          const data = event["data"] as { object: Fields }
          if (place === "event") event = mutated(event, fields)
          else if (place === "data") event["data"] = mutated(data, fields)
          else if (place === "object") event["data"] = { object: mutated(data.object, fields) }
          else {
            const metadata = mutated((data.object["metadata"] ?? {}) as Fields, fields)
            event["data"] = { object: { ...data.object, metadata } }
          }
          expect([JSON.stringify(event), await tell(JSON.stringify(event))]).toEqual([
            JSON.stringify(event),
            200,
          ])
          const told = (event["data"] as { object?: Fields } | undefined)?.object ?? {}
          if (type.startsWith("checkout")) sessions.add(String(told["id"]))
          const balance = await balanceOf(payer)
          expect(balance).toBeGreaterThanOrEqual(0n)
          expect(balance).toBeLessThanOrEqual(CREDITS * BigInt(sessions.size))
        }
      },
    ),
    { numRuns: sampleRuns(60) },
  )
  expect((await verifyLedgers(gateway.store)).problems).toEqual([])
})

test("a Stripe event with metadata that databases cannot store is acknowledged, and raises an alarm", async () => {
  const payer = await newPayer()
  for (const account of ["a\0", "a\ud800"]) {
    const before = alarms().length
    const metadata = { tollgate: "credits", account, credits: "10", currency: "usd" }
    const event = eventOf("checkout.session.completed", { ...sessionOf(payer), metadata })
    expect(await tell(JSON.stringify(event))).toBe(200)
    expect(alarms().slice(before).join()).toContain("its metadata was modified")
  }
})

const AMOUNTS: readonly (readonly [type: string, field: string])[] = [
  ["checkout.session.completed", "amount_subtotal"],
  ["checkout.session.completed", "amount_total"],
  ["charge.refunded", "amount_refunded"],
  ["refund.created", "amount"],
  ["charge.dispute.created", "amount"],
]

test.each(AMOUNTS)(
  "a Stripe event %s with an out-of-range amount in '%s' changes nothing, and raises an alarm",
  async (type, field) => {
    const payer = await newPayer()
    const isSession = type.startsWith("checkout")
    if (!isSession)
      await tell(JSON.stringify(eventOf("checkout.session.completed", sessionOf(payer))))
    const before = await balanceOf(payer)
    for (const value of UNITS) {
      // For a payment without a total, no refund refers to it.
      if (field === "amount_total" && (value === null || value === undefined)) continue
      const event = eventOf(type, { ...handled(payer)[type], [field]: value })
      const count = alarms().length
      expect(await tell(JSON.stringify(event))).toBe(200)
      expect(await balanceOf(payer)).toBe(before)
      expect(alarms().slice(count)).toEqual([
        expect.stringContaining(`the Stripe event ${String(event["id"])} (${type}`),
      ])
    }
  },
)

test.each(["-5", "0", "1e3", "5,0", "", "١", "10.001", "99999999999", " 10"])(
  "a Stripe session of '%s' credits changes nothing, and raises an alarm",
  async (credits) => {
    const payer = await newPayer()
    const session = sessionOf(payer)
    const metadata = { ...(session["metadata"] as Fields), credits }
    for (const units of [PAID, 0, -500]) {
      const count = alarms().length
      const event = eventOf("checkout.session.completed", {
        ...session,
        amount_subtotal: units,
        metadata,
      })
      expect(await tell(JSON.stringify(event))).toBe(200)
      expect(await balanceOf(payer)).toBe(0n)
      expect(alarms()).toHaveLength(count + 1)
    }
  },
)

test.each(["a\0b", "a\ud800b"])(
  "text %j in a Stripe event is not written to the ledger, because a database would change it",
  async (text) => {
    const payer = await newPayer()
    const session = sessionOf(payer)
    const { intent } = payer
    const events = [
      eventOf("checkout.session.completed", { ...session, id: text }),
      eventOf("checkout.session.completed", { ...session, payment_intent: text }),
      eventOf("checkout.session.completed", session),
      ...["charge.refunded", "refund.created", "charge.dispute.created"].map((type) =>
        eventOf(type, { ...handled({ account: "", intent })[type], id: text }),
      ),
    ]
    for (const event of events) expect(await tell(JSON.stringify(event))).toBe(200)
    expect(await balanceOf(payer)).toBe(CREDITS)
    expect((await verifyLedgers(gateway.store)).problems).toEqual([])
  },
)

test("Stripe events with missing or wrong objects, unknown states or unknown accounts raise an alarm", async () => {
  const payer = await newPayer()
  await tell(JSON.stringify(eventOf("checkout.session.completed", sessionOf(payer))))
  const { "refund.created": refund, "charge.dispute.created": dispute } = handled(payer)
  const events = [
    eventOf("refund.created", undefined),
    eventOf("refund.created", null),
    eventOf("refund.created", []),
    eventOf("refund.created", dispute),
    eventOf("charge.refunded", sessionOf(payer)),
    eventOf("checkout.session.completed", refund),
    eventOf("refund.created", { ...refund, status: "reversed" }),
    eventOf("charge.dispute.created", { ...dispute, status: "new state" }),
    eventOf("refund.created", { ...refund, currency: "dollars" }),
    eventOf("refund.created", { ...refund, id: "" }),
    eventOf("checkout.session.completed", sessionOf({ account: "acc_none", intent: "pi_none" })),
    { ...eventOf("refund.created", refund), data: null },
  ]
  for (const event of events) {
    const count = alarms().length
    expect(await tell(JSON.stringify(event))).toBe(200)
    expect([event, alarms().length]).toEqual([event, count + 1])
    expect(await balanceOf(payer)).toBe(CREDITS)
  }
  for (const body of ["null", "[]", "{", '"text"', JSON.stringify({ object: "v2.core.event" })]) {
    expect([body, await tell(body)]).toEqual([body, 200])
  }
})

test("Stripe events of unknown types and versions are acknowledged without an alarm", async () => {
  const count = alarms().length
  const versions = [undefined, null, "", "1999-01-01", 5]
  for (const api_version of versions) {
    const event = { ...eventOf("customer.created", { object: "customer" }), api_version }
    expect(await tell(JSON.stringify(event))).toBe(200)
  }
  expect(alarms()).toHaveLength(count)
})

test("the operator is notified once of a Stripe event that was not applied, with the remedy", async () => {
  const payer = await newPayer()
  const event = eventOf("refund.created", { ...handled(payer)["refund.created"], amount: -5 })
  for (let time = 0; time < 3; time++) expect(await tell(JSON.stringify(event))).toBe(200)
  const listed = async () => {
    const response = await fetch(`${gateway.url}/admin/v1/notices`, {
      headers: { authorization: "Bearer admin-token-for-tests" },
    })
    const { data } = (await response.json()) as { data: { type: string; data: Fields }[] }
    return data.filter(
      ({ type, data: facts }) => type === "payment.rejected" && facts["event"] === event["id"],
    )
  }
  await until(async () => (await listed()).length > 0)
  expect(await listed()).toEqual([
    expect.objectContaining({
      data: expect.objectContaining({
        type: "refund.created",
        reason: expect.stringContaining("'amount' is not a whole number"),
        action: expect.stringContaining("dashboard"),
      }),
    }),
  ])
})

test("a Stripe request that is aborted before the end of its body is not reported as a failure", async () => {
  const heard: Heard = []
  const payments = { receive: () => Promise.reject(new Error("it has no body")) }
  const handler = stripeWebhook({ payments, events: recorder(heard) })
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new Error("the connection was closed"))
    },
  })
  const request = new Request("http://gateway/webhooks/stripe", { method: "POST", body })
  const response = await handler(request, {
    address: null,
    origin: undefined,
    waitLong() {},
    waitShort() {},
  })
  expect(response.status).toBe(400)
  expect(heard).toEqual([])
})
