import { Stripe } from "stripe"

/** Stripe as a gateway and a browser see it: its API, its page to pay on, and its signed events. */
export interface CardCompany extends AsyncDisposable {
  /** What the settings of a gateway say of it. */
  readonly yaml: string
  /** Tells a gateway that the last page was paid on. @returns the status of its answer. */
  tell(gateway: string, secret?: string): Promise<number>
}

const WEBHOOK_SECRET = "whsec_for_tests"

export function startCardCompany(): CardCompany {
  let session: Record<string, unknown> = {}
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, origin } = new URL(request.url)
      if (pathname !== "/v1/checkout/sessions") return page(session)
      const form = new URLSearchParams(await request.text())
      session = sessionOf(form, `${origin}/pay`)
      return Response.json(session)
    },
  })
  return {
    yaml: `stripe: { secret_key: sk_test_for_tests, webhook_secret: ${WEBHOOK_SECRET}, base_url: "${server.url.origin}" }\n`,
    async tell(gateway, secret = WEBHOOK_SECRET) {
      const payload = JSON.stringify(completed(session))
      const { webhooks } = new Stripe("sk_test_unused")
      const signature = await webhooks.generateTestHeaderStringAsync({ payload, secret })
      const answer = await fetch(`${gateway}/webhooks/stripe`, {
        method: "POST",
        headers: { "content-type": "application/json", "stripe-signature": signature },
        body: payload,
      })
      await answer.body?.cancel()
      return answer.status
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
}

function page({ success_url: success, cancel_url: cancel }: Record<string, unknown>): Response {
  const body = `<h1>Pay</h1><a href="${String(success)}">Pay now</a> <a href="${String(cancel)}">Cancel</a>`
  return new Response(body, { headers: { "content-type": "text/html" } })
}

/** A session as version 2025-09-30 of the API has it, with what was asked for. */
function sessionOf(form: URLSearchParams, url: string): Record<string, unknown> {
  const amount = Number(form.get("line_items[0][price_data][unit_amount]"))
  const metadata = [...form].flatMap(([name, value]) => {
    const member = /^metadata\[(\w+)\]$/.exec(name)?.[1]
    return member === undefined ? [] : [[member, value] as const]
  })
  return {
    id: "cs_test_a1journey",
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

function completed(session: Record<string, unknown>): object {
  const paid = {
    ...session,
    customer_details: { email: "payer@example.com", name: "A Payer", tax_ids: [] },
    payment_intent: "pi_test_journey",
    payment_status: "paid",
    status: "complete",
    url: null,
  }
  return {
    id: "evt_test_journey",
    object: "event",
    api_version: "2025-09-30.clover",
    created: 1_763_900_000,
    data: { object: paid },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: "checkout.session.completed",
  }
}
