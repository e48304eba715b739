import { GatewayError } from "../../canon/errors.ts"
import type { Payments } from "../../management/payments.ts"
import type { Events } from "../../telemetry/events.ts"
import { newRequestId } from "../request-id.ts"
import { answerOf, failureOf } from "./answer.ts"

/** Bytes. Stripe's notices are a few thousand long. */
const LARGEST_NOTICE = 256 * 1024

/**
 * `POST /webhooks/stripe`: what Stripe tells. Its signature is of the body byte for byte, so that is read
 * as it came. Whatever is not 2xx is told again for three days.
 */
export function stripeWebhook(services: { readonly payments: Payments; readonly events: Events }) {
  return async function handle(request: Request): Promise<Response> {
    const id = newRequestId()
    try {
      if (request.method !== "POST") throw wrongMethod(request)
      const body = await readText(request)
      await services.payments.receive(body, request.headers.get("stripe-signature"))
      return answerOf(id, { received: true })
    } catch (thrown) {
      return failureOf(id, thrown, services.events)
    }
  }
}

async function readText(request: Request): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of request.body ?? []) {
    size += piece.byteLength
    if (size > LARGEST_NOTICE) {
      throw new GatewayError("body_too_large", "The body is larger than 256 KB.")
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}

function wrongMethod(request: Request): GatewayError {
  return new GatewayError("method_not_allowed", `This takes POST, not ${request.method}.`, {
    headers: { allow: "POST" },
  })
}
