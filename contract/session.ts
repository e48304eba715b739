import * as z from "zod"
import { accountRole, done, email, identifier, label, moment, page } from "./common.ts"
import { password } from "./own-password.ts"
import { route } from "./route.ts"

/** The response of `GET /admin/v1/sign-in`: the options of the sign-in page. The route needs no session. */
export const signInOptions = z.object({
  /** Whether there is no operator yet. The one-time link of the first start creates the first operator. */
  needs_setup: z.boolean(),
  password: z.boolean(),
  passkey: z.boolean(),
  oidc: z.array(z.object({ id: identifier, name: label })),
})
export type SignInOptions = z.infer<typeof signInOptions>

/**
 * The body of `POST /admin/v1/setup`, which creates the first user, an operator. The response is the same as from `GET
 * /session`, and sets the cookie.
 */
export const setup = z.object({
  token: z.string().min(1).max(200),
  name: label,
  email,
  password,
})

/**
 * The response of `GET /admin/v1/session`: the caller and the caller's rights. Without a session, the response is 401
 * `not_signed_in`.
 */
export const session = z.object({
  user: z
    .object({
      id: identifier,
      name: z.string(),
      email: z.string(),
      two_factor: z.boolean(),
      /** Whether the user has a password. Users without a password sign in through an issuer. */
      has_password: z.boolean(),
    })
    /** The user is null for the admin token. */
    .nullable(),
  is_operator: z.boolean(),
  accounts: z.array(z.object({ id: identifier, name: z.string(), role: accountRole })),
  /** The address that callers use as `base_url`, without `/v1`. */
  base_url: z.string(),
  /** Whether credits can be bought by card. */
  card_payments: z.boolean(),
  /**
   * The currency of card payments as an ISO 4217 code in lowercase. One unit of it buys one credit. The value is null
   * if credits cannot be bought by card.
   */
  card_currency: z.string().nullable(),
  /** Whether the caller sees multipliers, providers and deployments. */
  shows_costs: z.boolean(),
})
export type Session = z.infer<typeof session>

/** The body of `PATCH /admin/v1/session`: the fields that users can change themselves. */
export const ownChange = z.object({ name: label })

/**
 * An open session of a user in the response of `GET /admin/v1/session/all`. `DELETE /admin/v1/session/all/{id}` ends a
 * session.
 */
export const openSession = z.object({
  id: identifier,
  current: z.boolean(),
  created_at: moment,
  expires_at: moment,
  address: z.string().nullable(),
  agent: z.string().nullable(),
})
export type OpenSession = z.infer<typeof openSession>

/** The body of `POST /admin/v1/auth/sign-in/email`, which sets the session cookie or asks for the second step. */
export const passwordSignIn = z.object({
  email,
  password: z.string().min(1).max(200),
  /** Whether the session continues after the browser is closed. */
  remember: z.boolean().default(true),
})
export const signInResponse = z.object({
  /** Whether a code is needed, which is sent to `POST /admin/v1/auth/two-factor/verify-totp`. */
  two_factor: z.boolean(),
})

/** A path that cannot be mistaken for an address of another host, with an optional query. */
const CONSOLE_PAGE =
  /^\/console\/(?!.*\/\/)(?![^?]*%(?:2f|5c))[\w\-./~%]*(\?[\w\-./~=&%+:,@!*'()]*)?$/i

/** The body of `POST /admin/v1/auth/sign-in/oidc`, whose response contains the address for the browser to open. */
export const oidcSignIn = z.object({
  provider: identifier,
  /** The page of the console to open after signing in. */
  return_to: z
    .string()
    .max(1_000)
    .regex(CONSOLE_PAGE, "must be a page of the console: /console/...")
    .default("/console/"),
})
export const oidcSignInResponse = z.object({
  url: z.string(),
  /**
   * A token for linking the issuer to an existing user. The page sends it as `x-tollgate-link-token` when the user
   * signs in again.
   */
  link_token: z.string(),
})

/** Routes for signing in. */
export const signInRoutes = {
  "GET /sign-in": route({
    summary: "List the ways to sign in",
    minimumRole: "anyone",
    response: signInOptions,
  }),
  "POST /setup": route({
    summary: "Create the first user, an operator, with the link of the first start",
    minimumRole: "anyone",
    body: setup,
    response: session,
  }),
  "GET /setup/{token}": route({
    summary: "Check the link of the first start: 403 or 409 if it does not work",
    minimumRole: "anyone",
    response: done,
  }),
  "POST /auth/sign-in/email": route({
    summary: "Sign in with email address and password",
    minimumRole: "anyone",
    body: passwordSignIn,
    response: signInResponse,
  }),
  "DELETE /session": route({
    summary: "Sign out",
    minimumRole: "anyone",
    response: done,
  }),
  "POST /auth/sign-in/oidc": route({
    summary: "Redirect the browser to an issuer for sign-in",
    minimumRole: "anyone",
    body: oidcSignIn,
    response: oidcSignInResponse,
  }),
  "GET /auth/callback/{id}": route({
    summary: "Complete a sign-in at an issuer",
    minimumRole: "anyone",
  }),
}

/** `/admin/v1/session`: the signed-in user. */
export const sessionRoutes = {
  "GET /session": route({
    summary: "Get the signed-in user and their permissions",
    minimumRole: "session",
    response: session,
  }),
  "PATCH /session": route({
    summary: "Change your name",
    minimumRole: "session",
    body: ownChange,
    response: session,
  }),
  "GET /session/all": route({
    summary: "List your open sessions, newest first",
    minimumRole: "session",
    response: page(openSession),
  }),
  "DELETE /session/all/{id}": route({
    summary: "End one of your sessions",
    minimumRole: "session",
    response: done,
  }),
}
