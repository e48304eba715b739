import type { UserRecord } from "../store/users.ts"
import type { Actor } from "./actor.ts"
import type { AccountRole } from "#contract/common.ts"

/** Converts a user to an actor. Records name the actor by email address. */
export function userActor(
  user: UserRecord,
  roles: ReadonlyMap<string, AccountRole>,
  address: string | null,
): Actor {
  return {
    kind: "user",
    id: user.id,
    name: user.email,
    isOperator: user.isOperator,
    roles,
    address,
  }
}
