import { hidesCostsIn } from "../../config/sections/sign-in.ts"
import { SignInService } from "../../management/sign-in-service.ts"
import { Sessions } from "../../management/sessions.ts"
import type { ConsoleStore } from "../../store/console-store.ts"
import { Users } from "../../users/users.ts"
import { cookieResponse } from "./browser.ts"
import type { AdminEndpoint } from "./endpoint.ts"
import type { ActorOf } from "./guard.ts"
import { memberEndpoints, userEndpoints } from "./members.ts"
import { ownPasswordEndpoints } from "./own-password.ts"
import type { AccessParts, OpenParts } from "./parts.ts"
import { passkeyEndpoints } from "./passkeys.ts"
import { sessionEndpoints } from "./session.ts"

type UserAccessParts = Omit<OpenParts, "limits" | "users"> & { readonly consoleStore: ConsoleStore }

/** The console's users, their endpoints, and the function that identifies the actor of a request. */
export interface UserAccess extends Disposable {
  readonly endpoints: readonly AdminEndpoint[]
  readonly actorOf: ActorOf
  readonly users: Users
}

/** Opens the users of the console and builds their endpoints. */
export function openUserAccess(parts: UserAccessParts): UserAccess {
  const { store, consoleStore, secrets, audit, events, settings, baseUrl } = parts
  const users = new Users({
    store: consoleStore,
    secrets,
    isInvited: (email) => store.invitations.isInvited(email, Date.now()),
    onFailure: (message) => events.warning(`signing in: ${message}`),
  })
  const sessions = new Sessions({
    store,
    users,
    audit,
    baseUrl,
    cardCurrency: () => settings().stripe?.currency,
    hidesCosts: () => hidesCostsIn(settings()),
  })
  const issuers = () => settings().console?.oidc ?? []
  const signIn = new SignInService({ store, users, audit, issuers })
  const publicUrl = (): string | undefined => settings().publicUrl
  const response: AccessParts["response"] = (context, body, cookies) =>
    cookieResponse(context, body, cookies, publicUrl())
  const access = { store, users, audit, baseUrl, sessions, signIn, publicUrl, response }
  const endpoints = [
    ...sessionEndpoints(access),
    ...ownPasswordEndpoints(access),
    ...passkeyEndpoints(access),
    ...memberEndpoints(access),
    ...userEndpoints(access),
  ]
  return {
    endpoints,
    users,
    actorOf: (headers, address) => sessions.actorOf(headers, address),
    [Symbol.dispose]: () => users[Symbol.dispose](),
  }
}
