import * as z from "zod"
import { done } from "./common.ts"
import { route } from "./route.ts"

export const password = z
  .string()
  .min(10, "must have at least 10 characters")
  .max(200, "must have at most 200 characters")

/** The body of `POST /admin/v1/auth/two-factor/verify-totp` and `/verify-backup-code`. */
export const secondStep = z.object({
  code: z.string().trim().min(1).max(50),
  /** Whether this browser may skip the code for 30 days. */
  trust_device: z.boolean().default(false),
})

/** The body of `POST /admin/v1/auth/two-factor/enable`, `/disable` and `/generate-backup-codes`. */
export const ownPassword = z.object({ password: z.string().min(1).max(200) })
export const twoFactorSetup = z.object({
  /** The content of the QR code that an authenticator app scans: `otpauth://totp/...`. */
  totp_uri: z.string(),
  /** The secret of the QR code as text, for typing. */
  secret: z.string(),
  /** Backup codes, which are returned only once. Each code works once. */
  backup_codes: z.array(z.string()),
})
export const backupCodes = z.object({ backup_codes: z.array(z.string()) })

/** The body of `POST /admin/v1/auth/change-password`. All other sessions of the user end. */
export const passwordChange = z.object({
  current_password: z.string().min(1).max(200),
  new_password: password,
})

/** The body of `POST /admin/v1/auth/reset-password`, with the token of an operator's link. */
export const passwordReset = z.object({
  token: z.string().min(1).max(200),
  new_password: password,
})

/** `/admin/v1/auth/change-password`: for people who know their password. */
export const passwordRoutes = {
  "POST /auth/change-password": route({
    summary: "Change your password; your other sessions end",
    minimumRole: "session",
    body: passwordChange,
    response: done,
  }),
}

/** Routes that accept a proof of identity other than a password, such as an operator's link. */
export const proofRoutes = {
  "POST /auth/reset-password": route({
    summary: "Set a new password with an operator's link",
    minimumRole: "anyone",
    body: passwordReset,
    response: done,
  }),
  "GET /auth/reset-password/{token}": route({
    summary: "Check an operator's link: 403 if it no longer works",
    minimumRole: "anyone",
    response: done,
  }),
  "POST /auth/two-factor/verify-totp": route({
    summary: "Complete a sign-in with the code of your authenticator",
    minimumRole: "anyone",
    body: secondStep,
    response: done,
  }),
  "POST /auth/two-factor/verify-backup-code": route({
    summary: "Sign in with a backup code if the authenticator is lost",
    minimumRole: "anyone",
    body: secondStep,
    response: done,
  }),
}

/** `/admin/v1/auth/two-factor/...`: the second factor of the signed-in user. */
export const twoFactorRoutes = {
  "POST /auth/two-factor/enable": route({
    summary: "Begin to set up a second factor; its first code activates it",
    minimumRole: "session",
    body: ownPassword,
    response: twoFactorSetup,
  }),
  "POST /auth/two-factor/disable": route({
    summary: "Turn your second factor off",
    minimumRole: "session",
    body: ownPassword,
    response: done,
  }),
  "POST /auth/two-factor/generate-backup-codes": route({
    summary: "Create new backup codes; the old ones become invalid",
    minimumRole: "session",
    body: ownPassword,
    response: backupCodes,
  }),
}
