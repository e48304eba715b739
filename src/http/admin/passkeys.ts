import { passkeyRoutes, passkeySignInRoutes } from "#contract/passkeys.ts"
import type { OwnPasskeys } from "../../management/own-passkeys.ts"
import type { SignInService } from "../../management/sign-in-service.ts"
import type { Users } from "../../users/users.ts"
import { clientOf, cookieAnswer, cookieScope, originOf } from "./browser.ts"
import { type AdminContext, type AdminEndpoint, endpoints, openEndpoints } from "./endpoint.ts"

export interface PasskeyServices {
  readonly users: Users
  readonly signIn: SignInService
  readonly own: OwnPasskeys
  /** The public address, if it differs from the listening address. */
  readonly publicUrl: () => string | undefined
}

const OK = { ok: true } as const

/** `/admin/v1/auth/passkeys` and sign-in with a passkey. */
export function passkeyEndpoints(services: PasskeyServices): AdminEndpoint[] {
  const { users, signIn, own } = services
  const originFor = (context: AdminContext<never>): string =>
    new URL(originOf(context, services.publicUrl())).origin
  const finish = (context: AdminContext<never>, body: unknown, cookies: readonly string[]) =>
    cookieAnswer(context.requestId, body, {
      cookies,
      scope: cookieScope(context, services.publicUrl()),
    })
  return [
    ...openEndpoints(passkeySignInRoutes, {
      async "POST /auth/sign-in/passkey/begin"(context) {
        const begun = await users.passkeys.beginSignIn(clientOf(context), originFor(context))
        return finish(context, { public_key: begun.options }, begun.cookies)
      },
      async "POST /auth/sign-in/passkey"(context) {
        const { credential, remember } = context.body
        const { cookies } = await signIn.withPasskey(clientOf(context), credential, remember)
        return finish(context, { two_factor: false }, cookies)
      },
    }),
    ...endpoints(passkeyRoutes, {
      "GET /auth/passkeys": ({ actor }) => own.list(actor),
      async "POST /auth/passkeys/begin"(context) {
        const { password } = context.body
        const origin = originFor(context)
        const begun = await own.begin(context.actor, clientOf(context), { origin, password })
        return finish(context, { public_key: begun.options }, begun.cookies)
      },
      async "POST /auth/passkeys"(context) {
        const made = await own.create(context.actor, clientOf(context), context.body)
        return finish(context, made.passkey, made.cookies)
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
