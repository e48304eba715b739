import type { Actor } from "../../src/management/actor.ts"
import type { AccountRole } from "tollgate-contract/common.ts"

/** Returns a user with the given roles in the given accounts, and no other roles. */
export function userIn(roles: Readonly<Record<string, AccountRole>>): Actor {
  return {
    kind: "user",
    id: "user_1",
    name: "ada@example.com",
    isOperator: false,
    roles: new Map(Object.entries(roles)),
    address: "203.0.113.7",
  }
}

export const OPERATOR: Actor = {
  ...userIn({}),
  id: "user_0",
  name: "operator@example.com",
  isOperator: true,
}

/** Returns the kind of the error with which a promise fails; undefined if it succeeds. */
export async function kindOf(promise: Promise<unknown>): Promise<unknown> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  return thrown !== null && typeof thrown === "object" && "kind" in thrown ? thrown.kind : thrown
}
