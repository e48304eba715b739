import type { BaseUrl } from "./base-url.ts"
import type { Store } from "../store/store.ts"
import type { Users } from "../users/users.ts"
import type { Audit } from "./audit.ts"

/** Dependencies of services that invite people to accounts. */
export interface InvitationDependencies {
  readonly store: Store
  readonly users: Users
  readonly audit: Audit
  /** Returns the address of the gateway, for links. */
  readonly baseUrl: BaseUrl
}
