import { Stripe } from "stripe"

/** An event about the last payment. */
export type PaymentEvent = "paid" | "refunded" | "disputed" | "dispute won"

/** A replacement for Stripe: its API, its payment page, and its signed events. */
export interface CardCompany extends AsyncDisposable {
  /** The lines for a gateway's settings file. */
  readonly yaml: string
  /** The id of the last payment page. The ledger contains it. */
  readonly session: string
  /**
   * Sends an event about the last payment to a gateway.
   * @returns the status of the gateway's response.
   */
  tell(gateway: string, event: PaymentEvent, secret?: string): Promise<number>
}

type StripeObject = Readonly<Record<string, unknown>>

const WEBHOOK_SECRET = "whsec_for_tests"
const API_VERSION = "2025-09-30.clover"
const CREATED = 1_763_900_000

export function startCardCompany(): CardCompany {
  const sessions: StripeObject[] = []
  const last = (): StripeObject => sessions.at(-1) ?? {}
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, origin, searchParams } = new URL(request.url)
      if (pathname === "/v1/checkout/sessions" && request.method === "GET")
        return Response.json(listed(sessions, searchParams.get("payment_intent")))
      if (pathname !== "/v1/checkout/sessions") return page(last())
      const form = new URLSearchParams(await request.text())
      sessions.push(sessionOf(form, `${origin}/pay`, sessions.length + 1))
      return Response.json(last())
    },
  })
  return {
    yaml: `stripe: { secret_key: sk_test_for_tests, webhook_secret: ${WEBHOOK_SECRET}, base_url: "${server.url.origin}" }\n`,
    get session() {
      return String(last()["id"])
    },
    async tell(gateway, event, secret = WEBHOOK_SECRET) {
      const payload = JSON.stringify(eventOf(event, last()))
      const { webhooks } = new Stripe("sk_test_unused")
      const signature = await webhooks.generateTestHeaderStringAsync({ payload, secret })
      const response = await fetch(`${gateway}/webhooks/stripe`, {
        method: "POST",
        headers: { "content-type": "application/json", "stripe-signature": signature },
        body: payload,
      })
      await response.body?.cancel()
      return response.status
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
}

function listed(sessions: readonly StripeObject[], intent: string | null): StripeObject {
  const data = sessions.filter((session) => intentOf(session) === intent).map(paid)
  return { object: "list", data, has_more: false, url: "/v1/checkout/sessions" }
}

function page({ success_url: success, cancel_url: cancel }: StripeObject): Response {
  const body = `<h1>Pay</h1><a href="${String(success)}">Pay now</a> <a href="${String(cancel)}">Cancel</a>`
  return new Response(body, { headers: { "content-type": "text/html" } })
}

/** Returns a session in the format of this API version, with the values of the request. */
function sessionOf(form: URLSearchParams, url: string, number: number): StripeObject {
  const amount = Number(form.get("line_items[0][price_data][unit_amount]"))
  const metadata = [...form].flatMap(([name, value]) => {
    const member = /^metadata\[(\w+)\]$/.exec(name)?.[1]
    return member === undefined ? [] : [[member, value] as const]
  })
  return {
    id: `cs_test_a${number}journey`,
    object: "checkout.session",
    adaptive_pricing: { enabled: false },
    allow_promotion_codes: null,
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    cancel_url: form.get("cancel_url"),
    client_reference_id: form.get("client_reference_id"),
    currency: form.get("line_items[0][price_data][currency]"),
    customer: null,
    customer_details: null,
    livemode: false,
    metadata: Object.fromEntries(metadata),
    mode: "payment",
    payment_intent: null,
    payment_method_types: ["card"],
    payment_status: "unpaid",
    status: "open",
    success_url: form.get("success_url"),
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    url,
  }
}

/** Returns an event for a payment, as documented by Stripe. */
function eventOf(event: PaymentEvent, session: StripeObject): StripeObject {
  const [type, object] = {
    paid: ["checkout.session.completed", paid(session)],
    refunded: ["charge.refunded", refundedCharge(session)],
    disputed: ["charge.dispute.created", dispute(session, "needs_response")],
    "dispute won": ["charge.dispute.closed", dispute(session, "won")],
  }[event]
  return {
    id: `evt_${event.replace(" ", "_")}_${String(session["id"])}`,
    object: "event",
    api_version: API_VERSION,
    created: CREATED,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  }
}

function paid(session: StripeObject): StripeObject {
  return {
    ...session,
    customer_details: { email: "payer@example.com", name: "A Payer", tax_ids: [] },
    payment_intent: intentOf(session),
    payment_status: "paid",
    status: "complete",
    url: null,
  }
}

function refundedCharge(session: StripeObject): StripeObject {
  return {
    id: `ch_${String(session["id"])}`,
    object: "charge",
    amount: session["amount_total"],
    amount_captured: session["amount_total"],
    amount_refunded: session["amount_total"],
    balance_transaction: "txn_test_journey",
    captured: true,
    created: CREATED,
    currency: session["currency"],
    disputed: false,
    livemode: false,
    metadata: {},
    paid: true,
    payment_intent: intentOf(session),
    refunded: true,
    status: "succeeded",
  }
}

function dispute(session: StripeObject, status: string): StripeObject {
  return {
    id: `dp_${String(session["id"])}`,
    object: "dispute",
    amount: session["amount_total"],
    balance_transactions: [],
    charge: `ch_${String(session["id"])}`,
    created: CREATED,
    currency: session["currency"],
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: intentOf(session),
    reason: "fraudulent",
    status,
  }
}

function intentOf(session: StripeObject): string {
  return `pi_${String(session["id"])}`
}
