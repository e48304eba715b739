import type { AccountRole } from "tollgate-contract/common.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import type { Actor } from "../../src/management/actor.ts"

/** Returns a user with a role in account `a`, or without a role. */
export function user(role?: AccountRole, address = "203.0.113.7"): Actor {
  return {
    kind: "user",
    id: "user_1",
    name: "ada@example.com",
    isOperator: false,
    roles: new Map(role === undefined ? [] : [["a", role]]),
    address,
  }
}

/** Returns the kind, the field and the message of the error with which a promise fails. */
export async function rejection(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof GatewayError)) throw new Error(`not rejected: ${error}`)
  const { kind, message, details } = error
  return { kind, message, parameter: details.parameter, retryAfter: details.retryAfter }
}
