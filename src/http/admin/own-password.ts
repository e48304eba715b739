import { passwordRoutes, proofRoutes, twoFactorRoutes } from "tollgate-contract/own-password.ts"
import type { FrontDoor } from "../../management/front-door.ts"
import type { OwnPassword } from "../../management/own-password.ts"
import { cookieAnswer, isSecure, visitorOf } from "./browser.ts"
import { type AdminEndpoint, endpoints, openEndpoints, type Visit } from "./endpoint.ts"

export interface OwnPasswordServices {
  readonly door: FrontDoor
  readonly own: OwnPassword
  /** The address that callers use, where it is not the one it listens on. */
  readonly publicUrl: () => string | undefined
}

const OK = { ok: true } as const

type Finish = (visit: Visit<never>, cookies: readonly string[]) => Response

/** `/admin/v1/auth/...`: passwords, and the second factor. */
export function ownPasswordEndpoints(services: OwnPasswordServices): AdminEndpoint[] {
  const finish: Finish = (visit, cookies) =>
    cookieAnswer(visit.requestId, OK, {
      cookies,
      isSecure: isSecure(visit.request, services.publicUrl()),
    })
  const { own } = services
  return [
    ...endpoints(passwordRoutes, {
      async "POST /auth/change-password"(visit) {
        const { current_password: current, new_password: next } = visit.body
        return finish(visit, await own.change(visit.actor, visitorOf(visit), { current, next }))
      },
    }),
    ...proofEndpoints(services, finish),
    ...twoFactorEndpoints(services, finish),
  ]
}

function proofEndpoints({ door, own }: OwnPasswordServices, finish: Finish): AdminEndpoint[] {
  return openEndpoints(proofRoutes, {
    async "POST /auth/reset-password"(visit) {
      await own.reset(visitorOf(visit), visit.body.token, visit.body.new_password)
      return OK
    },
    async "POST /auth/two-factor/verify-totp"(visit) {
      const { code, trust_device: trustDevice } = visit.body
      const user = visit.actor?.kind === "user" ? visit.actor : undefined
      const input = { kind: "totp", code, trustDevice } as const
      const { cookies } = await door.withCode(user, visitorOf(visit), input)
      return finish(visit, cookies)
    },
    async "POST /auth/two-factor/verify-backup-code"(visit) {
      const { code, trust_device: trustDevice } = visit.body
      const user = visit.actor?.kind === "user" ? visit.actor : undefined
      const input = { kind: "backup-code", code, trustDevice } as const
      const { cookies } = await door.withCode(user, visitorOf(visit), input)
      return finish(visit, cookies)
    },
  })
}

function twoFactorEndpoints({ own }: OwnPasswordServices, finish: Finish): AdminEndpoint[] {
  return endpoints(twoFactorRoutes, {
    async "POST /auth/two-factor/enable"(visit) {
      const { password } = visit.body
      const setup = await own.beginTwoFactor(visit.actor, visitorOf(visit), password)
      return { totp_uri: setup.uri, secret: setup.secret, backup_codes: setup.backupCodes }
    },
    "POST /auth/two-factor/disable": async (visit) =>
      finish(visit, await own.endTwoFactor(visit.actor, visitorOf(visit), visit.body.password)),
    async "POST /auth/two-factor/generate-backup-codes"(visit) {
      const { password } = visit.body
      const codes = await own.newBackupCodes(visit.actor, visitorOf(visit), password)
      return { backup_codes: codes }
    },
  })
}
