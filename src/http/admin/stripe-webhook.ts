import { GatewayError } from "../../canon/errors.ts"
import type { Payments } from "../../management/payments.ts"
import type { Events } from "../../telemetry/events.ts"
import { newRequestId } from "../request-id.ts"
import { incomingChunks, USUAL_PACE } from "../incoming-body.ts"
import { anyone, failure, serve } from "../endpoint.ts"
import type { Handler } from "../server.ts"
import { responseOf, errorOf, errors } from "./response.ts"

/** Maximum size of an event. Stripe's events have a few thousand bytes. */
const MAX_BODY_BYTES = 256 * 1024

const PATH = "/webhooks/stripe"

export interface StripeServices {
  readonly payments: Pick<Payments, "receive">
  readonly events: Events
}

/**
 * `POST /webhooks/stripe`: receives Stripe's events. The body is read as text, because the signature covers its exact
 * bytes. Stripe resends an event for three days until it receives a 2xx response.
 */
export function stripeWebhook({ payments, events }: StripeServices): Handler {
  const { handler } = serve(
    {
      method: "POST",
      path: PATH,
      auth: anyone,
      body: readText,
      errors,
      errorOf,
      async handle({ request, id }, body) {
        await payments.receive(body, request.headers.get("stripe-signature"))
        return responseOf(id, { received: true })
      },
    },
    events,
  )
  return (request, connection) => {
    if (request.method === "POST") return handler(request, connection)
    const id = newRequestId()
    return failure(wrongMethod(request), { request, id, path: PATH, errors, errorOf, events })
  }
}

async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of incomingChunks(request, USUAL_PACE)) {
      size += chunk.byteLength
      if (size > MAX_BODY_BYTES) {
        throw new GatewayError("body_too_large", "The body is larger than 256 KB.")
      }
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    // The sender disconnected, which is not a failure of the gateway.
    throw new GatewayError("invalid_value", "The body ended before it was complete.", { cause })
  }
  return Buffer.concat(chunks).toString("utf8")
}

function wrongMethod(request: Request): GatewayError {
  return new GatewayError(
    "method_not_allowed",
    `This endpoint accepts POST, not ${request.method}.`,
    {
      headers: { allow: "POST" },
    },
  )
}
