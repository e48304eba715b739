import * as z from "zod"
import { done, identifier, label, moment, page } from "./common.ts"
import { route } from "./route.ts"
import { signInResponse } from "./session.ts"

/** A passkey of the signed-in user. */
export const passkey = z.object({
  id: identifier,
  name: z.string(),
  created_at: moment,
  last_used_at: moment.nullable(),
})
export type Passkey = z.infer<typeof passkey>
export const passkeyPage = page(passkey)

/** The options for creating or using a passkey in a browser, in WebAuthn's JSON form, which browsers parse. */
export const passkeyOptions = z.object({ public_key: z.looseObject({ challenge: z.string() }) })

/** A base64url value from the browser. */
const bytes = z
  .string()
  .max(20_000)
  .regex(/^[\w-]*$/, "must be base64url")

const credential = {
  id: bytes.min(1).max(2_000),
  rawId: bytes.min(1).max(2_000),
  type: z.literal("public-key"),
}

/** The body of `POST /admin/v1/auth/passkeys/begin`. Users who have a password must send it. */
export const passkeyBeginning = z.object({ password: z.string().min(1).max(200).optional() })

/**
 * The body of `POST /admin/v1/auth/passkeys`: the authenticator's response, as returned by
 * `PublicKeyCredential.toJSON`.
 */
export const newPasskey = z.object({
  name: label,
  // Browsers send more members than needed.
  credential: z.looseObject({
    ...credential,
    response: z.looseObject({
      clientDataJSON: bytes,
      attestationObject: bytes,
      transports: z.array(z.string().max(50)).max(10).optional(),
    }),
  }),
})
export type NewPasskey = z.infer<typeof newPasskey>

/** The body of `PATCH /admin/v1/auth/passkeys/{id}`. */
export const passkeyChange = z.object({ name: label })

/** The body of `POST /admin/v1/auth/sign-in/passkey`: the authenticator's response. */
export const passkeySignIn = z.object({
  // Browsers send more members than needed.
  credential: z.looseObject({
    ...credential,
    response: z.looseObject({
      clientDataJSON: bytes,
      authenticatorData: bytes,
      signature: bytes,
      userHandle: bytes.nullish(),
    }),
  }),
  /** Whether the session continues after the browser is closed. */
  remember: z.boolean().default(true),
})
export type PasskeyResponse = z.infer<typeof passkeySignIn>["credential"]

/** The routes for signing in with a passkey, without an email address. */
export const passkeySignInRoutes = {
  "POST /auth/sign-in/passkey/begin": route({
    summary: "Get the options for a sign-in with a passkey",
    minimumRole: "anyone",
    response: passkeyOptions,
  }),
  "POST /auth/sign-in/passkey": route({
    summary: "Sign in with a passkey",
    minimumRole: "anyone",
    body: passkeySignIn,
    response: signInResponse,
  }),
}

/** `/admin/v1/auth/passkeys`: the passkeys of the signed-in user. */
export const passkeyRoutes = {
  "GET /auth/passkeys": route({
    summary: "List your passkeys",
    minimumRole: "session",
    response: passkeyPage,
  }),
  "POST /auth/passkeys/begin": route({
    summary: "Get the options for creating a passkey",
    minimumRole: "session",
    body: passkeyBeginning,
    response: passkeyOptions,
  }),
  "POST /auth/passkeys": route({
    summary: "Add a passkey that the browser created",
    minimumRole: "session",
    body: newPasskey,
    response: passkey,
  }),
  "PATCH /auth/passkeys/{id}": route({
    summary: "Rename a passkey",
    minimumRole: "session",
    body: passkeyChange,
    response: passkey,
  }),
  "DELETE /auth/passkeys/{id}": route({
    summary: "Remove a passkey, so that it can no longer sign in",
    minimumRole: "session",
    response: done,
  }),
}
