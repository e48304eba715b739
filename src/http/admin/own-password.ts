import { passwordRoutes, proofRoutes, twoFactorRoutes } from "#contract/own-password.ts"
import type { SignInService } from "../../management/sign-in-service.ts"
import type { OwnPassword } from "../../management/own-password.ts"
import { cookieAnswer, cookieScope, clientOf } from "./browser.ts"
import { type AdminEndpoint, endpoints, openEndpoints, type AdminContext } from "./endpoint.ts"

export interface OwnPasswordServices {
  readonly signIn: SignInService
  readonly own: OwnPassword
  /** The public address, if it differs from the listening address. */
  readonly publicUrl: () => string | undefined
}

const OK = { ok: true } as const

type Finish = (context: AdminContext<never>, cookies: readonly string[]) => Response

/** `/admin/v1/auth/...`: the user's own password and second factor. */
export function ownPasswordEndpoints(services: OwnPasswordServices): AdminEndpoint[] {
  const finish: Finish = (context, cookies) =>
    cookieAnswer(context.requestId, OK, {
      cookies,
      scope: cookieScope(context, services.publicUrl()),
    })
  const { own } = services
  return [
    ...endpoints(passwordRoutes, {
      async "POST /auth/change-password"(context) {
        const { current_password: current, new_password: next } = context.body
        return finish(
          context,
          await own.change(context.actor, clientOf(context), { current, next }),
        )
      },
    }),
    ...proofEndpoints(services, finish),
    ...twoFactorEndpoints(services, finish),
  ]
}

function proofEndpoints({ signIn, own }: OwnPasswordServices, finish: Finish): AdminEndpoint[] {
  return openEndpoints(proofRoutes, {
    async "POST /auth/reset-password"(context) {
      await own.reset(clientOf(context), context.body.token, context.body.new_password)
      return OK
    },
    async "GET /auth/reset-password/{token}"(context) {
      await own.checkReset(clientOf(context), context.path("token"))
      return OK
    },
    async "POST /auth/two-factor/verify-totp"(context) {
      const { code, trust_device: trustDevice } = context.body
      const user = context.actor?.kind === "user" ? context.actor : undefined
      const input = { kind: "totp", code, trustDevice } as const
      const { cookies } = await signIn.withCode(user, clientOf(context), input)
      return finish(context, cookies)
    },
    async "POST /auth/two-factor/verify-backup-code"(context) {
      const { code, trust_device: trustDevice } = context.body
      const user = context.actor?.kind === "user" ? context.actor : undefined
      const input = { kind: "backup-code", code, trustDevice } as const
      const { cookies } = await signIn.withCode(user, clientOf(context), input)
      return finish(context, cookies)
    },
  })
}

function twoFactorEndpoints({ own }: OwnPasswordServices, finish: Finish): AdminEndpoint[] {
  return endpoints(twoFactorRoutes, {
    async "POST /auth/two-factor/enable"(context) {
      const { password } = context.body
      const setup = await own.beginTwoFactor(context.actor, clientOf(context), password)
      return { totp_uri: setup.uri, secret: setup.secret, backup_codes: setup.backupCodes }
    },
    "POST /auth/two-factor/disable": async (context) =>
      finish(
        context,
        await own.endTwoFactor(context.actor, clientOf(context), context.body.password),
      ),
    async "POST /auth/two-factor/generate-backup-codes"(context) {
      const { password } = context.body
      const codes = await own.newBackupCodes(context.actor, clientOf(context), password)
      return { backup_codes: codes }
    },
  })
}
