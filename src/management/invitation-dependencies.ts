import type { Store } from "../store/store.ts"
import type { Users } from "../users/users.ts"
import type { Audit } from "./audit.ts"

/** What services need that bring people and accounts together, and hand out links. */
export interface InvitationDependencies {
  readonly store: Store
  readonly users: Users
  readonly audit: Audit
  /** The address of the gateway, which links lead to. */
  readonly baseUrl: () => string
}
