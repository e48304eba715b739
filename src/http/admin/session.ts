import { sessionRoutes, signInRoutes } from "tollgate-contract/session.ts"
import type { FrontDoor } from "../../management/front-door.ts"
import type { Sessions } from "../../management/sessions.ts"
import type { Users } from "../../users/users.ts"
import { cookieAnswer, isSecure, originOf, redirectAnswer, visitorOf } from "./browser.ts"
import { type AdminEndpoint, endpoints, openEndpoints, type Visit } from "./endpoint.ts"

export interface SessionServices {
  readonly users: Users
  readonly sessions: Sessions
  readonly door: FrontDoor
  /** The address that callers use, where it is not the one it listens on. */
  readonly publicUrl: () => string | undefined
}

const OK = { ok: true } as const

/** `/admin/v1/session` and the ways to one. What people do with their own password is in own-password.ts. */
export function sessionEndpoints(services: SessionServices): AdminEndpoint[] {
  return [...signInEndpoints(services), ...openSessions(services)]
}

function signInEndpoints(services: SessionServices): AdminEndpoint[] {
  const { users, sessions, door, publicUrl } = services
  const secure = ({ request }: Visit<never>): boolean => isSecure(request, publicUrl())
  return openEndpoints(signInRoutes, {
    "GET /sign-in": () => door.options(),
    async "POST /setup"(visit) {
      const { token, ...input } = visit.body
      const visitor = visitorOf(visit)
      const user = await door.setUp(visitor, token, input)
      const { email } = user
      const { cookies } = await door.withPassword(visitor, { ...input, email, remember: true })
      const actor = await sessions.actorFor(user, visit.address)
      const session = await sessions.describe(actor)
      return cookieAnswer(visit.requestId, session, { cookies, isSecure: secure(visit) })
    },
    async "POST /auth/sign-in/email"(visit) {
      const { cookies, needsCode } = await door.withPassword(visitorOf(visit), visit.body)
      const answer = { two_factor: needsCode }
      return cookieAnswer(visit.requestId, answer, { cookies, isSecure: secure(visit) })
    },
    async "DELETE /session"(visit) {
      const cookies = await users.signIn.signOut(visitorOf(visit))
      return cookieAnswer(visit.requestId, OK, { cookies, isSecure: secure(visit) })
    },
    async "POST /auth/sign-in/oidc"(visit) {
      const { provider, return_to } = visit.body
      const { url, cookies } = await door.toIssuer(visitorOf(visit), {
        id: provider,
        origin: originOf(visit.request, publicUrl()),
        returnTo: return_to,
      })
      return cookieAnswer(visit.requestId, { url }, { cookies, isSecure: secure(visit) })
    },
    async "GET /auth/callback/{id}"(visit) {
      const { location, cookies } = await door.fromIssuer(visitorOf(visit), {
        id: visit.path("id"),
        origin: originOf(visit.request, publicUrl()),
        query: new URL(visit.request.url).search,
      })
      return redirectAnswer(location, { cookies, isSecure: secure(visit) })
    },
  })
}

function openSessions({ users, sessions, publicUrl }: SessionServices): AdminEndpoint[] {
  return endpoints(sessionRoutes, {
    async "GET /session"({ actor, request, requestId }) {
      const cookie = actor.kind === "user" ? request.headers.get("cookie") : null
      const cookies = cookie === null ? [] : await users.renew(cookie)
      const session = await sessions.describe(actor)
      const secure = isSecure(request, publicUrl())
      return cookieAnswer(requestId, session, { cookies, isSecure: secure })
    },
    "GET /session/all": ({ actor, request }) => sessions.list(actor, request.headers),
    async "DELETE /session/all/{id}"({ actor, path }) {
      await sessions.end(actor, path("id"))
      return OK
    },
  })
}
