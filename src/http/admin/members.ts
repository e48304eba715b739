import { identifier, pageQuery } from "tollgate-contract/common.ts"
import {
  acceptance,
  invitationPage,
  invitationWithLink,
  member,
  memberChange,
  memberPage,
  memberQuery,
  newInvitation,
  openInvitation,
} from "tollgate-contract/members.ts"
import { done, session } from "tollgate-contract/session.ts"
import type { FrontDoor } from "../../management/front-door.ts"
import type { Invitations } from "../../management/invitations.ts"
import type { Members } from "../../management/members.ts"
import type { Sessions } from "../../management/sessions.ts"
import { cookieAnswer, isSecure, visitorOf } from "./browser.ts"
import { type Endpoint, endpoint, openEndpoint } from "./endpoint.ts"

export interface MemberServices {
  readonly members: Members
  readonly invitations: Invitations
  readonly sessions: Sessions
  readonly door: FrontDoor
  /** The address that callers use, where it is not the one it listens on. */
  readonly publicUrl: () => string | undefined
}

const OK = { ok: true } as const
const invitationQuery = pageQuery.extend({ account: identifier.optional() })
/** A link that nobody signed for long enough is none. */
const LONGEST_TOKEN = 200

/** `/admin/v1/members` and `/admin/v1/invitations`. */
export function memberEndpoints(services: MemberServices): Endpoint[] {
  return [
    // Before those of a member's id, which 'invitations' is not.
    ...invitationEndpoints(services),
    ...membershipEndpoints(services),
    ...acceptanceEndpoints(services),
  ]
}

function membershipEndpoints({ members }: MemberServices): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/members",
      summary: "Who belongs to an account, or to all that you may see",
      least: "viewer",
      query: memberQuery,
      answer: memberPage,
      handle: ({ actor, query }) => members.list(actor, query),
    }),
    endpoint({
      method: "PATCH",
      path: "/members/{id}",
      summary: "Give a member another role",
      least: "owner",
      body: memberChange,
      answer: member,
      handle: ({ actor, path, body }) => members.change(actor, path.id, body.role),
    }),
    endpoint({
      method: "DELETE",
      path: "/members/{id}",
      summary: "Remove a member",
      least: "owner",
      answer: done,
      async handle({ actor, path }) {
        await members.remove(actor, path.id)
        return OK
      },
    }),
  ]
}

function invitationEndpoints({ invitations }: MemberServices): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/members/invitations",
      summary: "Open invitations",
      least: "owner",
      query: invitationQuery,
      answer: invitationPage,
      handle: ({ actor, query }) => invitations.list(actor, query),
    }),
    endpoint({
      method: "POST",
      path: "/members/invitations",
      summary: "Invite somebody into an account; the link is shown once",
      least: "owner",
      body: newInvitation,
      answer: invitationWithLink,
      handle: ({ actor, body }) => invitations.create(actor, body),
    }),
    endpoint({
      method: "DELETE",
      path: "/members/invitations/{id}",
      summary: "Withdraw an invitation",
      least: "owner",
      answer: done,
      async handle({ actor, path }) {
        await invitations.remove(actor, path.id)
        return OK
      },
    }),
  ]
}

function acceptanceEndpoints(services: MemberServices): Endpoint[] {
  const { invitations, sessions, door } = services
  return [
    openEndpoint({
      method: "GET",
      path: "/invitations/{token}",
      summary: "What one is invited to",
      answer: openInvitation,
      handle: ({ path }) => invitations.open(path.token.slice(0, LONGEST_TOKEN)),
    }),
    openEndpoint({
      method: "POST",
      path: "/invitations/{token}/accept",
      summary: "Accept an invitation, as a new user or as the one who is signed in",
      body: acceptance,
      answer: session,
      async handle(visit) {
        const { actor, address, body, path, request, requestId } = visit
        const token = path.token.slice(0, LONGEST_TOKEN)
        const { user, isNew } = await invitations.accept({ actor, address }, token, body)
        const { password = "" } = body
        const order = { email: user.email, password, remember: true }
        const way = isNew ? await door.withPassword(visitorOf(visit), order) : undefined
        return cookieAnswer(
          requestId,
          await sessions.describe(await sessions.actorFor(user, address)),
          { cookies: way?.cookies ?? [], isSecure: isSecure(request, services.publicUrl()) },
        )
      },
    }),
  ]
}
