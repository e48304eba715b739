import { passwordRoutes, proofRoutes, twoFactorRoutes } from "#contract/own-password.ts"
import { OwnPassword } from "../../management/own-password.ts"
import { clientOf } from "./browser.ts"
import { type AdminEndpoint, endpoints, openEndpoints, type OpenContext } from "./endpoint.ts"
import { type AccessParts, OK } from "./parts.ts"

/** `/admin/v1/auth/...`: the user's own password and second factor. */
export function ownPasswordEndpoints(parts: AccessParts): AdminEndpoint[] {
  const { users, audit, response } = parts
  const own = new OwnPassword(users, audit)
  return [
    ...endpoints(passwordRoutes, {
      async "POST /auth/change-password"(context) {
        const { current_password: current, new_password: next } = context.body
        const cookies = await own.change(context.actor, clientOf(context), { current, next })
        return response(context, OK, cookies)
      },
    }),
    ...proofEndpoints(parts, own),
    ...twoFactorEndpoints(parts, own),
  ]
}

function proofEndpoints({ signIn, response }: AccessParts, own: OwnPassword): AdminEndpoint[] {
  const verify = async (
    context: OpenContext<never, unknown, { code: string; trust_device: boolean }>,
    kind: "totp" | "backup-code",
  ) => {
    const { code, trust_device: trustDevice } = context.body
    const user = context.actor?.kind === "user" ? context.actor : undefined
    const input = { kind, code, trustDevice }
    const { cookies } = await signIn.withCode(user, clientOf(context), input)
    return response(context, OK, cookies)
  }
  return openEndpoints(proofRoutes, {
    async "POST /auth/reset-password"(context) {
      await own.reset(clientOf(context), context.body.token, context.body.new_password)
      return OK
    },
    async "GET /auth/reset-password/{token}"(context) {
      await own.checkReset(clientOf(context), context.path("token"))
      return OK
    },
    "POST /auth/two-factor/verify-totp": (context) => verify(context, "totp"),
    "POST /auth/two-factor/verify-backup-code": (context) => verify(context, "backup-code"),
  })
}

function twoFactorEndpoints({ response }: AccessParts, own: OwnPassword): AdminEndpoint[] {
  return endpoints(twoFactorRoutes, {
    async "POST /auth/two-factor/enable"(context) {
      const { password } = context.body
      const setup = await own.beginTwoFactor(context.actor, clientOf(context), password)
      return { totp_uri: setup.uri, secret: setup.secret, backup_codes: setup.backupCodes }
    },
    async "POST /auth/two-factor/disable"(context) {
      const { password } = context.body
      return response(
        context,
        OK,
        await own.endTwoFactor(context.actor, clientOf(context), password),
      )
    },
    async "POST /auth/two-factor/generate-backup-codes"(context) {
      const { password } = context.body
      const codes = await own.newBackupCodes(context.actor, clientOf(context), password)
      return { backup_codes: codes }
    },
  })
}
