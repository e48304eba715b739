import { GatewayError } from "../../canon/errors.ts"
import { IDEMPOTENCY_KEY } from "./fingerprint.ts"

export function keyReused(): GatewayError {
  return new GatewayError(
    "idempotency_key_reused",
    "This idempotency key was used for another request with a different endpoint, body or relevant header. Send a new key with a new request, and the same key only with an identical one.",
    { parameter: IDEMPOTENCY_KEY },
  )
}

export function tooManyKeys(maxKeys: number): GatewayError {
  return new GatewayError(
    "too_many_attempts",
    `More than ${maxKeys} idempotency keys were used in 24 hours. Send the request without a key, or try again later.`,
    { parameter: IDEMPOTENCY_KEY },
  )
}

export function unreachable(): GatewayError {
  return new GatewayError(
    "overloaded",
    "The first request with this idempotency key is still running in a process that does not respond. Try again with the same key.",
    { parameter: IDEMPOTENCY_KEY },
  )
}
