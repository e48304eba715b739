import type { UserRecord } from "../users/user-records.ts"
import type { Actor } from "./actor.ts"
import type { AccountRole } from "./contract/common.ts"

/** A user as he acts: his e-mail address is what records name him by. */
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
