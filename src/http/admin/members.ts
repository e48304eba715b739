import { acceptanceRoutes, invitationRoutes, memberRoutes } from "#contract/members.ts"
import type { SignInService } from "../../management/sign-in-service.ts"
import type { Invitations } from "../../management/invitations.ts"
import type { Members } from "../../management/members.ts"
import type { Sessions } from "../../management/sessions.ts"
import { cookieAnswer, cookieScope, clientOf } from "./browser.ts"
import { type AdminEndpoint, endpoints, openEndpoints } from "./endpoint.ts"

export interface MemberServices {
  readonly members: Members
  readonly invitations: Invitations
  readonly sessions: Sessions
  readonly signIn: SignInService
  /** The public address, if it differs from the listening address. */
  readonly publicUrl: () => string | undefined
}

const OK = { ok: true } as const
/** Maximum length of an invitation token. Longer tokens are invalid. */
const MAX_TOKEN_LENGTH = 200

/** `/admin/v1/members` and `/admin/v1/invitations`. */
export function memberEndpoints(services: MemberServices): AdminEndpoint[] {
  return [
    // Must precede the routes with a member's id, which would match 'invitations'.
    ...invitationEndpoints(services),
    ...membershipEndpoints(services),
    ...acceptanceEndpoints(services),
  ]
}

function membershipEndpoints({ members }: MemberServices): AdminEndpoint[] {
  return endpoints(memberRoutes, {
    "GET /members": ({ actor, query }) => members.list(actor, query),
    "PATCH /members/{id}": ({ actor, path, body }) => members.change(actor, path("id"), body.role),
    async "DELETE /members/{id}"({ actor, path }) {
      await members.remove(actor, path("id"))
      return OK
    },
  })
}

function invitationEndpoints({ invitations }: MemberServices): AdminEndpoint[] {
  return endpoints(invitationRoutes, {
    "GET /members/invitations": ({ actor, query }) => invitations.list(actor, query),
    "POST /members/invitations": ({ actor, body }) => invitations.create(actor, body),
    async "DELETE /members/invitations/{id}"({ actor, path }) {
      await invitations.remove(actor, path("id"))
      return OK
    },
  })
}

function acceptanceEndpoints(services: MemberServices): AdminEndpoint[] {
  const { invitations, sessions, signIn } = services
  return openEndpoints(acceptanceRoutes, {
    "GET /invitations/{token}": ({ path }) =>
      invitations.open(path("token").slice(0, MAX_TOKEN_LENGTH)),
    async "POST /invitations/{token}/accept"(context) {
      const { actor, address, origin, body, path, requestId } = context
      const token = path("token").slice(0, MAX_TOKEN_LENGTH)
      const { user, isNew } = await invitations.accept({ actor, address }, token, body)
      const { password = "" } = body
      const input = { email: user.email, password, remember: true }
      const signedIn = isNew ? await signIn.withPassword(clientOf(context), input) : undefined
      return cookieAnswer(
        requestId,
        await sessions.describe({ ...(await sessions.actorFor(user, address)), origin }),
        { cookies: signedIn?.cookies ?? [], scope: cookieScope(context, services.publicUrl()) },
      )
    },
  })
}
