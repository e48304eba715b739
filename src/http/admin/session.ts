import type { FrontDoor } from "../../management/front-door.ts"
import {
  openSession,
  passwordSignIn,
  session,
  setup,
  signInAnswer,
  signInOptions,
  done,
  oidcSignIn,
  oidcSignInAnswer,
} from "tollgate-contract/session.ts"
import { page } from "tollgate-contract/common.ts"
import type { Sessions } from "../../management/sessions.ts"
import type { Users } from "../../users/users.ts"
import { cookieAnswer, isSecure, originOf, redirectAnswer, visitorOf } from "./browser.ts"
import { type Endpoint, endpoint, openEndpoint, type Visit } from "./endpoint.ts"

export interface SessionServices {
  readonly users: Users
  readonly sessions: Sessions
  readonly door: FrontDoor
  /** The address that callers use, where it is not the one it listens on. */
  readonly publicUrl: () => string | undefined
}

const OK = { ok: true } as const

/** `/admin/v1/session` and the ways to one. What people do with their own password is in own-password.ts. */
export function sessionEndpoints(services: SessionServices): Endpoint[] {
  return [...waysIn(services), ...issuerWays(services), ...openSessions(services)]
}

function waysIn(services: SessionServices): Endpoint[] {
  const { users, sessions, door } = services
  return [
    openEndpoint({
      method: "GET",
      path: "/sign-in",
      summary: "The ways to sign in",
      answer: signInOptions,
      handle: () => door.options(),
    }),
    openEndpoint({
      method: "POST",
      path: "/setup",
      summary: "Make the first user, who becomes the operator, by the link of the first start",
      body: setup,
      answer: session,
      async handle(visit) {
        const { token, ...order } = visit.body
        const visitor = visitorOf(visit)
        const user = await door.setUp(visitor, token, order)
        const { email } = user
        const way = await door.withPassword(visitor, { ...order, email, remember: true })
        const actor = await sessions.actorFor(user, visit.address)
        return cookieAnswer(visit.requestId, await sessions.describe(actor), {
          cookies: way.cookies,
          isSecure: isSecure(visit.request, services.publicUrl()),
        })
      },
    }),
    openEndpoint({
      method: "POST",
      path: "/auth/sign-in/email",
      summary: "Sign in with e-mail address and password",
      body: passwordSignIn,
      answer: signInAnswer,
      async handle(visit) {
        const { cookies, needsCode } = await door.withPassword(visitorOf(visit), visit.body)
        return cookieAnswer(
          visit.requestId,
          { two_factor: needsCode },
          { cookies, isSecure: isSecure(visit.request, services.publicUrl()) },
        )
      },
    }),
    openEndpoint({
      method: "DELETE",
      path: "/session",
      summary: "Sign out",
      answer: done,
      async handle(visit) {
        const cookies = await users.signIn.signOut(visitorOf(visit))
        const secure = isSecure(visit.request, services.publicUrl())
        return cookieAnswer(visit.requestId, OK, { cookies, isSecure: secure })
      },
    }),
  ]
}

function issuerWays({ door, publicUrl }: SessionServices): Endpoint[] {
  const secure = ({ request }: Visit): boolean => isSecure(request, publicUrl())
  return [
    openEndpoint({
      method: "POST",
      path: "/auth/sign-in/oidc",
      summary: "Where the browser goes to sign in at an issuer",
      body: oidcSignIn,
      answer: oidcSignInAnswer,
      async handle(visit) {
        const { provider, return_to } = visit.body
        const { url, cookies } = await door.toIssuer(visitorOf(visit), {
          id: provider,
          origin: originOf(visit.request, publicUrl()),
          returnTo: return_to,
        })
        return cookieAnswer(visit.requestId, { url }, { cookies, isSecure: secure(visit) })
      },
    }),
    openEndpoint({
      method: "GET",
      path: "/auth/callback/{id}",
      summary: "Where an issuer sends the browser back to",
      async handle(visit) {
        const { location, cookies } = await door.fromIssuer(visitorOf(visit), {
          id: visit.path.id,
          origin: originOf(visit.request, publicUrl()),
          query: new URL(visit.request.url).search,
        })
        return redirectAnswer(location, { cookies, isSecure: secure(visit) })
      },
    }),
  ]
}

function openSessions({ users, sessions, publicUrl }: SessionServices): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/session",
      summary: "Who is signed in, and what they may do",
      least: "session",
      answer: session,
      async handle({ actor, request, requestId }) {
        const cookie = actor.kind === "user" ? request.headers.get("cookie") : null
        const cookies = cookie === null ? [] : await users.renew(cookie)
        const secure = isSecure(request, publicUrl())
        return cookieAnswer(requestId, await sessions.describe(actor), {
          cookies,
          isSecure: secure,
        })
      },
    }),
    endpoint({
      method: "GET",
      path: "/session/all",
      summary: "Your open sessions, the newest first",
      least: "session",
      answer: page(openSession),
      handle: ({ actor, request }) => sessions.list(actor, request.headers),
    }),
    endpoint({
      method: "DELETE",
      path: "/session/all/{id}",
      summary: "End one of your sessions",
      least: "session",
      answer: done,
      async handle({ actor, path }) {
        await sessions.end(actor, path.id)
        return OK
      },
    }),
  ]
}
