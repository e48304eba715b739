import { Erasure } from "../../management/erasure.ts"
import { exportText } from "../../management/person-export.ts"
import { UserDirectory } from "../../management/user-directory.ts"
import { documentResponse } from "./download-response.ts"
import { acceptanceRoutes, invitationRoutes, memberRoutes, userRoutes } from "#contract/members.ts"
import { Invitations } from "../../management/invitations.ts"
import { Members } from "../../management/members.ts"
import { clientOf } from "./browser.ts"
import { type AdminEndpoint, endpoints, openEndpoints } from "./endpoint.ts"
import { type AccessParts, OK } from "./parts.ts"

/** Maximum length of an invitation token. Longer tokens are invalid. */
const MAX_TOKEN_LENGTH = 200

/** `/admin/v1/members` and `/admin/v1/invitations`. */
export function memberEndpoints(parts: AccessParts): AdminEndpoint[] {
  const { store, users, audit } = parts
  const members = new Members(store, users, audit)
  const invitations = new Invitations(parts)
  return [
    // Must precede the routes with a member's id, which would match 'invitations'.
    ...endpoints(invitationRoutes, {
      "GET /members/invitations": ({ actor, query }) => invitations.list(actor, query),
      "POST /members/invitations": ({ actor, body }) => invitations.create(actor, body),
      async "DELETE /members/invitations/{id}"({ actor, path }) {
        await invitations.remove(actor, path("id"))
        return OK
      },
    }),
    ...endpoints(memberRoutes, {
      "GET /members": ({ actor, query }) => members.list(actor, query),
      "PATCH /members/{id}": ({ actor, path, body }) =>
        members.change(actor, path("id"), body.role),
      async "DELETE /members/{id}"({ actor, path }) {
        await members.remove(actor, path("id"))
        return OK
      },
    }),
    ...acceptanceEndpoints(parts, invitations),
  ]
}

function acceptanceEndpoints(
  { sessions, signIn, response }: AccessParts,
  invitations: Invitations,
): AdminEndpoint[] {
  return openEndpoints(acceptanceRoutes, {
    "GET /invitations/{token}": ({ path }) =>
      invitations.open(path("token").slice(0, MAX_TOKEN_LENGTH)),
    async "POST /invitations/{token}/accept"(context) {
      const { actor, address, origin, body, path } = context
      const token = path("token").slice(0, MAX_TOKEN_LENGTH)
      const { user, isNew } = await invitations.accept({ actor, address }, token, body)
      const { password = "" } = body
      const input = { email: user.email, password, remember: true }
      const signedIn = isNew ? await signIn.withPassword(clientOf(context), input) : undefined
      const session = await sessions.describe({
        ...(await sessions.actorFor(user, address)),
        origin,
      })
      return response(context, session, signedIn?.cookies ?? [])
    },
  })
}

/** `/admin/v1/users`: all users of the console. */
export function userEndpoints(parts: AccessParts): AdminEndpoint[] {
  const directory = new UserDirectory(parts)
  const erasure = new Erasure(parts)
  return endpoints(userRoutes, {
    "GET /users": ({ actor, query }) => directory.list(actor, query),
    "PATCH /users/{id}": ({ actor, path, body }) => directory.change(actor, path("id"), body),
    "GET /users/{id}/export": async ({ actor, path }) =>
      documentResponse(exportText(await directory.export(actor, path("id")))),
    "POST /users/erase": ({ actor, body }) => erasure.eraseAddress(actor, body.email),
    "POST /users/{id}/erase": ({ actor, path }) => erasure.erase(actor, path("id")),
    "POST /users/{id}/reset": ({ actor, path, body }) =>
      directory.reset(actor, path("id"), body.two_factor),
  })
}
