import { sessionRoutes, signInRoutes } from "#contract/session.ts"
import type { SignInService } from "../../management/sign-in-service.ts"
import type { Sessions } from "../../management/sessions.ts"
import type { Users } from "../../users/users.ts"
import { cookieAnswer, cookieScope, originOf, redirectAnswer, clientOf } from "./browser.ts"
import { type AdminEndpoint, endpoints, openEndpoints, type AdminContext } from "./endpoint.ts"

export interface SessionServices {
  readonly users: Users
  readonly sessions: Sessions
  readonly signIn: SignInService
  /** The public address, if it differs from the listening address. */
  readonly publicUrl: () => string | undefined
}

const OK = { ok: true } as const

/** `/admin/v1/session` and the sign-in methods. The endpoints for the user's own password are in own-password.ts. */
export function sessionEndpoints(services: SessionServices): AdminEndpoint[] {
  return [...signInEndpoints(services), ...openSessions(services)]
}

function signInEndpoints(services: SessionServices): AdminEndpoint[] {
  const { users, sessions, signIn, publicUrl } = services
  const scopeOf = (context: AdminContext<never>) => cookieScope(context, publicUrl())
  return openEndpoints(signInRoutes, {
    "GET /sign-in": (context) => signIn.options(originOf(context, publicUrl())),
    async "POST /setup"(context) {
      const { token, ...input } = context.body
      const client = clientOf(context)
      const user = await signIn.setUp(client, token, input)
      const { email } = user
      const { cookies } = await signIn.withPassword(client, { ...input, email, remember: true })
      const actor = await sessions.actorFor(user, context.address)
      const session = await sessions.describe({ ...actor, origin: context.origin })
      return cookieAnswer(context.requestId, session, { cookies, scope: scopeOf(context) })
    },
    async "GET /setup/{token}"(context) {
      await signIn.checkSetUp(clientOf(context), context.path("token"))
      return OK
    },
    async "POST /auth/sign-in/email"(context) {
      const { cookies, session } = await signIn.withPassword(clientOf(context), context.body)
      const answer = { two_factor: session === null }
      return cookieAnswer(context.requestId, answer, { cookies, scope: scopeOf(context) })
    },
    async "DELETE /session"(context) {
      const cookies = await users.signOut(clientOf(context).cookie)
      return cookieAnswer(context.requestId, OK, { cookies, scope: scopeOf(context) })
    },
    async "POST /auth/sign-in/oidc"(context) {
      const { provider, return_to } = context.body
      const { url, cookies, linkToken } = await signIn.toIssuer(clientOf(context), {
        id: provider,
        origin: originOf(context, publicUrl()),
        returnTo: return_to,
      })
      const answer = { url, link_token: linkToken }
      return cookieAnswer(context.requestId, answer, { cookies, scope: scopeOf(context) })
    },
    async "GET /auth/callback/{id}"(context) {
      const { location, cookies } = await signIn.fromIssuer(clientOf(context), {
        id: context.path("id"),
        query: new URL(context.request.url).search,
      })
      return redirectAnswer(location, { cookies, scope: scopeOf(context) })
    },
  })
}

function openSessions({ users, sessions, publicUrl }: SessionServices): AdminEndpoint[] {
  return endpoints(sessionRoutes, {
    async "GET /session"(context) {
      const { actor, request, requestId } = context
      const cookie = actor.kind === "user" ? request.headers.get("cookie") : null
      const cookies = cookie === null ? [] : await users.renew(cookie)
      const session = await sessions.describe(actor)
      const scope = cookieScope(context, publicUrl())
      return cookieAnswer(requestId, session, { cookies, scope })
    },
    "PATCH /session": ({ actor, body }) => sessions.rename(actor, body.name),
    "GET /session/all": ({ actor, request }) => sessions.list(actor, request.headers),
    async "DELETE /session/all/{id}"({ actor, path }) {
      await sessions.end(actor, path("id"))
      return OK
    },
  })
}
