import type { Actor } from "../../src/management/actor.ts"
import type { AccountRole } from "tollgate-contract/common.ts"

/** A user with these roles in these accounts, and no others. */
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

/** The kind of the error that a promise fails with; undefined when it does not. */
export async function kindOf(promise: Promise<unknown>): Promise<unknown> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  return thrown !== null && typeof thrown === "object" && "kind" in thrown ? thrown.kind : thrown
}
