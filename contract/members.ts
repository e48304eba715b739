import * as z from "zod"
import { accountRole, done, email, identifier, label, moment, page, pageQuery } from "./common.ts"
import { passkey } from "./passkeys.ts"
import { password } from "./own-password.ts"
import { session } from "./session.ts"
import { route } from "./route.ts"

/** A user in an account. The id identifies the membership, not the user. */
export const member = z.object({
  id: identifier,
  account: identifier,
  user: identifier,
  name: z.string(),
  email: z.string(),
  role: accountRole,
  joined_at: moment,
})
export type Member = z.infer<typeof member>
export const memberPage = page(member)
/**
 * The query of `GET /admin/v1/members`, which lists the members of one account, or of all accounts that the caller may
 * see.
 */
export const memberQuery = pageQuery.extend({ account: identifier.optional() })
/**
 * The body of `PATCH /admin/v1/members/{id}`, for owners and operators only. The last owner of an account keeps the
 * role.
 */
export const memberChange = z.object({ role: accountRole })

export const invitation = z.object({
  id: identifier,
  account: identifier,
  account_name: z.string(),
  email: z.string(),
  role: accountRole,
  invited_by: z.string(),
  created_at: moment,
  expires_at: moment,
})
export type Invitation = z.infer<typeof invitation>
/**
 * The response of `GET /admin/v1/members/invitations?account=`. `DELETE /admin/v1/members/invitations/{id}` revokes an
 * invitation.
 */
export const invitationPage = page(invitation)
export const invitationQuery = pageQuery.extend({ account: identifier.optional() })
/** The body of `POST /admin/v1/members/invitations`. */
export const newInvitation = z.object({ account: identifier, email, role: accountRole })
/** A new invitation with its link, which is returned only once. The inviter sends the link to the invited person. */
export const invitationWithLink = invitation.extend({ link: z.string() })
export type InvitationWithLink = z.infer<typeof invitationWithLink>

/** The response of `GET /admin/v1/invitations/{token}`, which needs no session. */
export const openInvitation = invitation
  .pick({ account_name: true, email: true, role: true, invited_by: true, expires_at: true })
  .extend({
    /** Whether a user with the invited address exists. In this case the user signs in and accepts the invitation. */
    is_registered: z.boolean(),
  })
export type OpenInvitation = z.infer<typeof openInvitation>

/**
 * The body of `POST /admin/v1/invitations/{token}/accept`. New users send a name and a password and are signed in.
 * Users who are signed in with the invited address send neither. The response is the same as from `GET /session`.
 */
export const acceptance = z.object({ name: label.optional(), password: password.optional() })

/** A user in the response of `GET /admin/v1/users`, which is for operators only. */
export const user = z.object({
  id: identifier,
  name: z.string(),
  email: z.string(),
  is_operator: z.boolean(),
  is_disabled: z.boolean(),
  two_factor: z.boolean(),
  created_at: moment,
  last_seen_at: moment.nullable(),
  accounts: z.array(z.object({ id: identifier, name: z.string(), role: accountRole })),
})
export type User = z.infer<typeof user>
export const userPage = page(user)
export const userQuery = pageQuery.extend({ search: z.string().max(100).optional() })
/**
 * The body of `PATCH /admin/v1/users/{id}`. Disabling a user ends the user's sessions. The last operator stays an
 * operator. Users sign in with `email`, and issuers identify users by it.
 */
export const userChange = z.object({
  name: label.optional(),
  email: email.optional(),
  is_operator: z.boolean().optional(),
  is_disabled: z.boolean().optional(),
})

/**
 * The response of `GET /admin/v1/users/{id}/export`: the stored data about the user, without secrets. For operators and
 * the user.
 */
export const personExport = z.object({
  object: z.literal("user_export"),
  user,
  /** The user's identities at OpenID Connect issuers. */
  identities: z.array(z.object({ provider: z.string(), subject: z.string() })),
  sessions: z.array(
    z.object({
      created_at: moment,
      expires_at: moment,
      address: z.string().nullable(),
      agent: z.string().nullable(),
    }),
  ),
  passkeys: z.array(passkey),
  /** Open invitations to the user's email address. */
  invitations: z.array(
    z.object({
      account: identifier,
      account_name: z.string(),
      role: accountRole,
      created_at: moment,
      expires_at: moment,
    }),
  ),
  /**
   * Actions by the user, actions that affected the user, and records that mention the user, newest
   * first. The names of other people are replaced with null.
   */
  audit: z.array(
    z.object({
      number: z.int(),
      at: moment,
      /** The actor; null if another person acted. */
      actor: z.object({ name: z.string(), address: z.string().nullable() }).nullable(),
      action: z.string(),
      account: z.string().nullable(),
      target: z.string().nullable(),
      before: z.unknown(),
      after: z.unknown(),
    }),
  ),
})
export type PersonExport = z.infer<typeof personExport>

/**
 * The body of `POST /admin/v1/users/erase`, which erases a person who was only invited. `POST
 * /admin/v1/users/{id}/erase` erases a user. Both are for operators only. They delete data that names the person. The
 * person's actions stay recorded under the user id.
 */
export const addressErasure = z.object({ email })
export const erasure = z.object({
  object: z.literal("erasure"),
  /** The id of the erased user; null if the person was not a user. */
  user: identifier.nullable(),
})
export type Erasure = z.infer<typeof erasure>

/**
 * The body of `POST /admin/v1/users/{id}/reset` (operators only), which creates a single-use link that sets a new
 * password.
 */
export const userReset = z.object({
  /** Whether the user's second factor is switched off too. */
  two_factor: z.boolean().default(false),
})
export const resetLink = z.object({ link: z.string(), expires_at: moment })
export type ResetLink = z.infer<typeof resetLink>

/**
 * The routes of `/admin/v1/members/invitations`. They precede the routes of members, whose id parameter would match
 * them.
 */
export const invitationRoutes = {
  "GET /members/invitations": route({
    summary: "List the pending invitations",
    minimumRole: "owner",
    query: invitationQuery,
    response: invitationPage,
  }),
  "POST /members/invitations": route({
    summary: "Invite a person to an account; only this response contains the link",
    minimumRole: "owner",
    body: newInvitation,
    response: invitationWithLink,
  }),
  "DELETE /members/invitations/{id}": route({
    summary: "Withdraw an invitation",
    minimumRole: "owner",
    response: done,
  }),
}

/** `/admin/v1/members`: the users of an account. */
export const memberRoutes = {
  "GET /members": route({
    summary: "List the members of an account, or of all your accounts",
    minimumRole: "viewer",
    query: memberQuery,
    response: memberPage,
  }),
  "PATCH /members/{id}": route({
    summary: "Give a member another role",
    minimumRole: "owner",
    body: memberChange,
    response: member,
  }),
  "DELETE /members/{id}": route({
    summary: "Remove a member",
    minimumRole: "owner",
    response: done,
  }),
}

/** `/admin/v1/invitations`: for invited people. */
export const acceptanceRoutes = {
  "GET /invitations/{token}": route({
    summary: "Get an invitation",
    minimumRole: "anyone",
    response: openInvitation,
  }),
  "POST /invitations/{token}/accept": route({
    summary: "Accept an invitation, as a new user or as the signed-in user",
    minimumRole: "anyone",
    body: acceptance,
    response: session,
  }),
}

/** `/admin/v1/users`: all people who can sign in. */
export const userRoutes = {
  "GET /users": route({
    summary: "List all users, oldest first",
    minimumRole: "operator",
    query: userQuery,
    response: userPage,
  }),
  "PATCH /users/{id}": route({
    summary:
      "Rename a user, make them an operator, or disable them; a disabled user's sessions end",
    minimumRole: "operator",
    body: userChange,
    response: user,
  }),
  "GET /users/{id}/export": route({
    summary: "Export all stored data of a person, for operators and that person",
    minimumRole: "session",
    response: personExport,
  }),
  "POST /users/erase": route({
    summary: "Erase the data of an invited person who never signed in",
    minimumRole: "operator",
    body: addressErasure,
    response: erasure,
  }),
  "POST /users/{id}/erase": route({
    summary: "Erase a person; records of their actions remain under an anonymous id",
    minimumRole: "operator",
    response: erasure,
  }),
  "POST /users/{id}/reset": route({
    summary: "Create a link for setting a new password",
    minimumRole: "operator",
    body: userReset,
    response: resetLink,
  }),
}
