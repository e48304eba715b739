import { sessionRoutes, signInRoutes } from "#contract/session.ts"
import { clientOf, cookieScope, originOf, redirectResponse } from "./browser.ts"
import { type AdminEndpoint, endpoints, openEndpoints } from "./endpoint.ts"
import { type AccessParts, OK } from "./parts.ts"

/** `/admin/v1/session` and the sign-in methods. The endpoints for the user's own password are in own-password.ts. */
export function sessionEndpoints(services: AccessParts): AdminEndpoint[] {
  return [...signInEndpoints(services), ...openSessions(services)]
}

function signInEndpoints(services: AccessParts): AdminEndpoint[] {
  const { users, sessions, signIn, publicUrl, response } = services
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
      return response(context, session, cookies)
    },
    async "GET /setup/{token}"(context) {
      await signIn.checkSetUp(clientOf(context), context.path("token"))
      return OK
    },
    async "POST /auth/sign-in/email"(context) {
      const { cookies, session } = await signIn.withPassword(clientOf(context), context.body)
      return response(context, { two_factor: session === null }, cookies)
    },
    async "DELETE /session"(context) {
      const cookies = await users.signOut(clientOf(context).cookie)
      return response(context, OK, cookies)
    },
    async "POST /auth/sign-in/oidc"(context) {
      const { provider, return_to } = context.body
      const { url, cookies, linkToken } = await signIn.toIssuer(clientOf(context), {
        id: provider,
        origin: originOf(context, publicUrl()),
        returnTo: return_to,
      })
      return response(context, { url, link_token: linkToken }, cookies)
    },
    async "GET /auth/callback/{id}"(context) {
      const { location, cookies } = await signIn.fromIssuer(clientOf(context), {
        id: context.path("id"),
        query: new URL(context.request.url).search,
      })
      return redirectResponse(location, { cookies, scope: cookieScope(context, publicUrl()) })
    },
  })
}

function openSessions({ users, sessions, response }: AccessParts): AdminEndpoint[] {
  return endpoints(sessionRoutes, {
    async "GET /session"(context) {
      const { actor, request } = context
      const cookie = actor.kind === "user" ? request.headers.get("cookie") : null
      const cookies = cookie === null ? [] : await users.renew(cookie)
      return response(context, await sessions.describe(actor), cookies)
    },
    "PATCH /session": ({ actor, body }) => sessions.rename(actor, body.name),
    "GET /session/all": ({ actor, request }) => sessions.list(actor, request.headers),
    async "DELETE /session/all/{id}"({ actor, path }) {
      await sessions.end(actor, path("id"))
      return OK
    },
  })
}
