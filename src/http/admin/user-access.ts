import type { BaseUrl } from "../../management/base-url.ts"
import { hidesCostsIn } from "../../config/sections/sign-in.ts"
import type { Settings } from "../../config/settings.ts"
import type { Audit } from "../../management/audit.ts"
import { SignInService } from "../../management/sign-in-service.ts"
import { Erasure } from "../../management/erasure.ts"
import { Invitations } from "../../management/invitations.ts"
import { Members } from "../../management/members.ts"
import { OwnPasskeys } from "../../management/own-passkeys.ts"
import { OwnPassword } from "../../management/own-password.ts"
import { Sessions } from "../../management/sessions.ts"
import { UserDirectory } from "../../management/user-directory.ts"
import type { InstallationSecrets } from "../../secrets/installation-secrets.ts"
import type { ConsoleStore } from "../../store/console-store.ts"
import type { Store } from "../../store/store.ts"
import type { Events } from "../../telemetry/events.ts"
import { Users } from "../../users/users.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"
import type { ActorOf } from "./guard.ts"
import { memberEndpoints } from "./members.ts"
import { ownPasswordEndpoints } from "./own-password.ts"
import { passkeyEndpoints } from "./passkeys.ts"
import { sessionEndpoints } from "./session.ts"
import { userRoutes } from "#contract/members.ts"
import { exportText } from "../../management/person-export.ts"
import { documentAnswer } from "./download-answer.ts"

export interface UserAccessParts {
  readonly store: Store
  readonly consoleStore: ConsoleStore
  readonly secrets: InstallationSecrets
  readonly audit: Audit
  readonly events: Events
  readonly settings: () => Settings
  /** The public address without `/v1`. */
  readonly baseUrl: BaseUrl
}

/** The users of the console, their endpoints, and the identification of requests. */
export interface UserAccess extends Disposable {
  readonly endpoints: readonly AdminEndpoint[]
  readonly actorOf: ActorOf
  readonly users: Users
}

/** Opens the users of the console and builds their endpoints. */
export function openUserAccess(parts: UserAccessParts): UserAccess {
  const { store, consoleStore, secrets, audit, events } = parts
  const { settings, baseUrl } = parts
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
  const shared = { users, sessions, signIn, publicUrl }
  const endpoints = [
    ...sessionEndpoints(shared),
    ...ownPasswordEndpoints({ ...shared, own: new OwnPassword(users, audit) }),
    ...passkeyEndpoints({ ...shared, own: new OwnPasskeys(users, audit) }),
    ...memberEndpoints({
      ...shared,
      members: new Members(store, users, audit),
      invitations: new Invitations({ store, users, audit, baseUrl }),
    }),
    ...userEndpoints({
      directory: new UserDirectory({ store, users, audit, baseUrl }),
      erasure: new Erasure({ store, users, audit }),
    }),
  ]
  return {
    endpoints,
    users,
    actorOf: (headers, address) => sessions.actorOf(headers, address),
    [Symbol.dispose]: () => users[Symbol.dispose](),
  }
}

/** `/admin/v1/users`: all users of the console. */
function userEndpoints({
  directory,
  erasure,
}: {
  readonly directory: UserDirectory
  readonly erasure: Erasure
}): AdminEndpoint[] {
  return endpoints(userRoutes, {
    "GET /users": ({ actor, query }) => directory.list(actor, query),
    "PATCH /users/{id}": ({ actor, path, body }) => directory.change(actor, path("id"), body),
    "GET /users/{id}/export": async ({ actor, path }) =>
      documentAnswer(exportText(await directory.export(actor, path("id")))),
    "POST /users/erase": ({ actor, body }) => erasure.eraseAddress(actor, body.email),
    "POST /users/{id}/erase": ({ actor, path }) => erasure.erase(actor, path("id")),
    "POST /users/{id}/reset": ({ actor, path, body }) =>
      directory.reset(actor, path("id"), body.two_factor),
  })
}
