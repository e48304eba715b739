import * as z from "zod"
import { accountRole, done, email, identifier, label, moment, page, pageQuery } from "./common.ts"
import { passkey } from "./passkeys.ts"
import { password } from "./own-password.ts"
import { session } from "./session.ts"
import { route } from "./route.ts"

/** A user in an account. Its id is of the membership, not of the user. */
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
/** `GET /admin/v1/members`: of one account, or of all that the asker may see. */
export const memberQuery = pageQuery.extend({ account: identifier.optional() })
/** `PATCH /admin/v1/members/{id}`, owners and operators; an account keeps at least one owner once it has one. */
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
/** `GET /admin/v1/members/invitations?account=`; `DELETE /admin/v1/members/invitations/{id}`. */
export const invitationPage = page(invitation)
export const invitationQuery = pageQuery.extend({ account: identifier.optional() })
/** `POST /admin/v1/members/invitations` */
export const newInvitation = z.object({ account: identifier, email, role: accountRole })
/** Shown once: give the link to the invited person. */
export const invitationWithLink = invitation.extend({ link: z.string() })
export type InvitationWithLink = z.infer<typeof invitationWithLink>

/** `GET /admin/v1/invitations/{token}`, without a session: what one is invited to. */
export const openInvitation = invitation
  .pick({ account_name: true, email: true, role: true, invited_by: true, expires_at: true })
  .extend({
    /** Whether someone with this address is registered: they sign in and accept. */
    is_registered: z.boolean(),
  })
export type OpenInvitation = z.infer<typeof openInvitation>

/**
 * `POST /admin/v1/invitations/{token}/accept`. A new user says their name and a password and is signed in;
 * one who is signed in with the invited address sends neither. Answers as `GET /session`.
 */
export const acceptance = z.object({ name: label.optional(), password: password.optional() })

/** `GET /admin/v1/users`, operators only. */
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
 * `PATCH /admin/v1/users/{id}`. A disabled user's sessions end. The last operator stays one. `email` is what they sign in
 * with, and what an issuer knows them by.
 */
export const userChange = z.object({
  name: label.optional(),
  email: email.optional(),
  is_operator: z.boolean().optional(),
  is_disabled: z.boolean().optional(),
})

/** `GET /admin/v1/users/{id}/export`, operators and the person: what is stored of them, without secrets. */
export const personExport = z.object({
  object: z.literal("person"),
  user,
  /** As whom issuers know them. */
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
  /** To their address, those that are open. */
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
   * What they did, what others did to them, and records that only mention them. Without who the others are: null stands
   * in the place of their names. The newest first.
   */
  audit: z.array(
    z.object({
      number: z.int(),
      at: moment,
      /** Null where it was someone else. */
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
 * `POST /admin/v1/users/{id}/erase`, and `POST /admin/v1/users/erase` for someone who was only invited; operators only.
 * What names the person is gone afterwards; what they did stays, under their id.
 */
export const addressErasure = z.object({ email })
export const erasure = z.object({
  object: z.literal("erasure"),
  /** Null for someone who was no user. */
  user: identifier.nullable(),
})
export type Erasure = z.infer<typeof erasure>

/** `POST /admin/v1/users/{id}/reset`, operators only: a link that sets a new password, once. */
export const userReset = z.object({
  /** Whether their second factor is switched off as well. */
  two_factor: z.boolean().default(false),
})
export const resetLink = z.object({ link: z.string(), expires_at: moment })
export type ResetLink = z.infer<typeof resetLink>

/** `/admin/v1/members/invitations`. They stand before the members, whose ids they could be taken for. */
export const invitationRoutes = {
  "GET /members/invitations": route({
    summary: "Open invitations",
    minimumRole: "owner",
    query: invitationQuery,
    answer: invitationPage,
  }),
  "POST /members/invitations": route({
    summary: "Invite someone to an account; the link is shown once",
    minimumRole: "owner",
    body: newInvitation,
    answer: invitationWithLink,
  }),
  "DELETE /members/invitations/{id}": route({
    summary: "Withdraw an invitation",
    minimumRole: "owner",
    answer: done,
  }),
}

/** `/admin/v1/members`: who belongs to an account. */
export const memberRoutes = {
  "GET /members": route({
    summary: "Who belongs to an account, or to all that you may see",
    minimumRole: "viewer",
    query: memberQuery,
    answer: memberPage,
  }),
  "PATCH /members/{id}": route({
    summary: "Give a member another role",
    minimumRole: "owner",
    body: memberChange,
    answer: member,
  }),
  "DELETE /members/{id}": route({
    summary: "Remove a member",
    minimumRole: "owner",
    answer: done,
  }),
}

/** `/admin/v1/invitations`: for those who are invited. */
export const acceptanceRoutes = {
  "GET /invitations/{token}": route({
    summary: "What one is invited to",
    minimumRole: "anyone",
    answer: openInvitation,
  }),
  "POST /invitations/{token}/accept": route({
    summary: "Accept an invitation, as a new user or as the one who is signed in",
    minimumRole: "anyone",
    body: acceptance,
    answer: session,
  }),
}

/** `/admin/v1/users`: everyone who can sign in. */
export const userRoutes = {
  "GET /users": route({
    summary: "All users, the oldest first",
    minimumRole: "operator",
    query: userQuery,
    answer: userPage,
  }),
  "PATCH /users/{id}": route({
    summary:
      "Rename a user, make them an operator, or disable them; a disabled user's sessions end",
    minimumRole: "operator",
    body: userChange,
    answer: user,
  }),
  "GET /users/{id}/export": route({
    summary: "What is stored of a person: for operators, and for themselves",
    minimumRole: "session",
    answer: personExport,
  }),
  "POST /users/erase": route({
    summary: "Erase what is stored of someone who was invited and never signed in",
    minimumRole: "operator",
    body: addressErasure,
    answer: erasure,
  }),
  "POST /users/{id}/erase": route({
    summary: "Erase a person: what they did stays, under an id that names no one",
    minimumRole: "operator",
    answer: erasure,
  }),
  "POST /users/{id}/reset": route({
    summary: "A link that sets a new password, for someone who has lost theirs",
    minimumRole: "operator",
    body: userReset,
    answer: resetLink,
  }),
}
