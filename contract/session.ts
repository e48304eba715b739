import * as z from "zod"
import { accountRole, email, identifier, label, moment } from "./common.ts"

export const password = z
  .string()
  .min(10, "must have at least 10 characters")
  .max(200, "must have at most 200 characters")

/** `GET /admin/v1/sign-in`: what the sign-in page has to offer. Needs no session. */
export const signInOptions = z.object({
  /** Whether there is no operator yet: the one-time link of the first start makes one. */
  needs_setup: z.boolean(),
  password: z.boolean(),
  passkey: z.boolean(),
  oidc: z.array(z.object({ id: identifier, name: label })),
})
export type SignInOptions = z.infer<typeof signInOptions>

/** `POST /admin/v1/setup`: the first user, who becomes the operator. Answers as `GET /session` and sets the cookie. */
export const setup = z.object({
  token: z.string().min(1).max(200),
  name: label,
  email,
  password,
})

/** `GET /admin/v1/session`: who asks, and what they may do. 401 `not_signed_in` without one. */
export const session = z.object({
  user: z
    .object({
      id: identifier,
      name: z.string(),
      email: z.string(),
      two_factor: z.boolean(),
      /** Whether they have a password, or sign in elsewhere only. */
      has_password: z.boolean(),
    })
    /** Null for the admin token. */
    .nullable(),
  is_operator: z.boolean(),
  accounts: z.array(z.object({ id: identifier, name: z.string(), role: accountRole })),
  /** The address that callers use as `base_url`, without `/v1`. */
  base_url: z.string(),
  /** Whether credits can be bought by card. */
  card_payments: z.boolean(),
})
export type Session = z.infer<typeof session>

/** A user's open session: `GET /admin/v1/session/all`; `DELETE /admin/v1/session/all/{id}` ends one. */
export const openSession = z.object({
  id: identifier,
  current: z.boolean(),
  created_at: moment,
  expires_at: moment,
  address: z.string().nullable(),
  agent: z.string().nullable(),
})
export type OpenSession = z.infer<typeof openSession>

/** What a step answers that shows nothing. */
export const done = z.object({ ok: z.literal(true) })

/** `POST /admin/v1/auth/sign-in/email`. Sets the session's cookie, or asks for the second step. */
export const passwordSignIn = z.object({
  email,
  password: z.string().min(1).max(200),
  /** Whether the session outlives the browser. */
  remember: z.boolean().default(true),
})
export const signInAnswer = z.object({
  /** Whether a code is needed: `POST /admin/v1/auth/two-factor/verify-totp`. */
  two_factor: z.boolean(),
})

/** `POST /admin/v1/auth/two-factor/verify-totp` and `/verify-backup-code`. */
export const secondStep = z.object({
  code: z.string().trim().min(1).max(50),
  /** Whether this browser is asked for no code for 30 days. */
  trust_device: z.boolean().default(false),
})

/** `POST /admin/v1/auth/two-factor/enable`, `/disable` and `/generate-backup-codes`. */
export const ownPassword = z.object({ password: z.string().min(1).max(200) })
export const twoFactorSetup = z.object({
  /** For the picture that an authenticator reads: `otpauth://totp/...`. */
  totp_uri: z.string(),
  /** The same, to type. */
  secret: z.string(),
  /** Each opens the door once. Shown once. */
  backup_codes: z.array(z.string()),
})
export const backupCodes = z.object({ backup_codes: z.array(z.string()) })

/** A path in which nothing can be taken for another host, and a query. */
const CONSOLE_PAGE =
  /^\/console\/(?!.*\/\/)(?![^?]*%(?:2f|5c))[\w\-./~%]*(\?[\w\-./~=&%+:,@!*'()]*)?$/i

/** `POST /admin/v1/auth/sign-in/oidc`: where the browser goes. */
export const oidcSignIn = z.object({
  provider: identifier,
  /** A page of the console. */
  return_to: z
    .string()
    .max(1_000)
    .regex(CONSOLE_PAGE, "must be a page of the console: /console/...")
    .default("/console/"),
})
export const oidcSignInAnswer = z.object({ url: z.string() })

/** `POST /admin/v1/auth/change-password`. All other sessions end. */
export const passwordChange = z.object({
  current_password: z.string().min(1).max(200),
  new_password: password,
})

/** `POST /admin/v1/auth/reset-password`, with the token of an operator's link. */
export const passwordReset = z.object({
  token: z.string().min(1).max(200),
  new_password: password,
})
