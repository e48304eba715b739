import type { UserRecord } from "../users/user-records.ts"
import type { Actor } from "./actor.ts"
import type { AccountRole } from "tollgate-contract/common.ts"

/** A user as they act: their e-mail address is what records name them by. */
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
