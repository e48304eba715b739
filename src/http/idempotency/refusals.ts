import { GatewayError } from "../../canon/errors.ts"
import { IDEMPOTENCY_KEY } from "./fingerprint.ts"

export function keyReused(): GatewayError {
  return new GatewayError(
    "idempotency_key_reused",
    "This idempotency key was used for another request: its endpoint, its body or a header that changes its meaning differs. Send a new key with a new request, and the same key only with the very same one.",
    { parameter: IDEMPOTENCY_KEY },
  )
}

export function tooManyKeys(maxKeys: number): GatewayError {
  return new GatewayError(
    "too_many_attempts",
    `More than ${maxKeys} idempotency keys were used in 24 hours. Send the request without one, or later.`,
    { parameter: IDEMPOTENCY_KEY },
  )
}

export function unreachable(): GatewayError {
  return new GatewayError(
    "overloaded",
    "The first request with this idempotency key still runs in a process that does not answer. Try again with the same key.",
    { parameter: IDEMPOTENCY_KEY },
  )
}
