import { passkeyRoutes, passkeySignInRoutes } from "#contract/passkeys.ts"
import { OwnPasskeys } from "../../management/own-passkeys.ts"
import { clientOf, originOf } from "./browser.ts"
import { type AdminContext, type AdminEndpoint, endpoints, openEndpoints } from "./endpoint.ts"
import { type AccessParts, OK } from "./parts.ts"

/** `/admin/v1/auth/passkeys` and sign-in with a passkey. */
export function passkeyEndpoints({
  users,
  audit,
  signIn,
  publicUrl,
  response,
}: AccessParts): AdminEndpoint[] {
  const own = new OwnPasskeys(users, audit)
  const originFor = (context: AdminContext<never>): string =>
    new URL(originOf(context, publicUrl())).origin
  return [
    ...openEndpoints(passkeySignInRoutes, {
      async "POST /auth/sign-in/passkey/begin"(context) {
        const begun = await users.passkeys.beginSignIn(clientOf(context), originFor(context))
        return response(context, { public_key: begun.options }, begun.cookies)
      },
      async "POST /auth/sign-in/passkey"(context) {
        const { credential, remember } = context.body
        const { cookies } = await signIn.withPasskey(clientOf(context), credential, remember)
        return response(context, { two_factor: false }, cookies)
      },
    }),
    ...endpoints(passkeyRoutes, {
      "GET /auth/passkeys": ({ actor }) => own.list(actor),
      async "POST /auth/passkeys/begin"(context) {
        const { password } = context.body
        const origin = originFor(context)
        const begun = await own.begin(context.actor, clientOf(context), { origin, password })
        return response(context, { public_key: begun.options }, begun.cookies)
      },
      async "POST /auth/passkeys"(context) {
        const made = await own.create(context.actor, clientOf(context), context.body)
        return response(context, made.passkey, made.cookies)
      },
      "PATCH /auth/passkeys/{id}": ({ actor, path, body }) =>
        own.rename(actor, path("id"), body.name),
      async "DELETE /auth/passkeys/{id}"({ actor, path }) {
        await own.remove(actor, path("id"))
        return OK
      },
    }),
  ]
}
