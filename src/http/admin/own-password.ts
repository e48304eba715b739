import {
  backupCodes,
  done,
  ownPassword,
  passwordChange,
  passwordReset,
  secondStep,
  twoFactorSetup,
} from "tollgate-contract/session.ts"
import type { FrontDoor } from "../../management/front-door.ts"
import type { OwnPassword } from "../../management/own-password.ts"
import type { CodeOrder } from "../../users/sign-in.ts"
import { cookieAnswer, isSecure, visitorOf } from "./browser.ts"
import { type Endpoint, endpoint, openEndpoint, type Visit } from "./endpoint.ts"

export interface OwnPasswordServices {
  readonly door: FrontDoor
  readonly own: OwnPassword
  /** The address that callers use, where it is not the one it listens on. */
  readonly publicUrl: () => string | undefined
}

const OK = { ok: true } as const

/** `/admin/v1/auth/...`: passwords, and the second factor. */
export function ownPasswordEndpoints(services: OwnPasswordServices): Endpoint[] {
  const finish = (visit: Visit, cookies: readonly string[]): Response =>
    cookieAnswer(visit.requestId, OK, {
      cookies,
      isSecure: isSecure(visit.request, services.publicUrl()),
    })
  return [
    ...passwordEndpoints(services, finish),
    ...codeEndpoints(services, finish),
    ...twoFactorEndpoints(services, finish),
  ]
}

type Finish = (visit: Visit, cookies: readonly string[]) => Response

function passwordEndpoints({ own }: OwnPasswordServices, finish: Finish): Endpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/auth/change-password",
      summary: "Change your password; your other sessions end",
      least: "session",
      body: passwordChange,
      answer: done,
      async handle(asked) {
        const { current_password: current, new_password: next } = asked.body
        return finish(asked, await own.change(asked.actor, visitorOf(asked), { current, next }))
      },
    }),
    openEndpoint({
      method: "POST",
      path: "/auth/reset-password",
      summary: "Set a new password by an operator's link",
      body: passwordReset,
      answer: done,
      async handle(visit) {
        await own.reset(visitorOf(visit), visit.body.token, visit.body.new_password)
        return OK
      },
    }),
  ]
}

function codeEndpoints({ door }: OwnPasswordServices, finish: Finish): Endpoint[] {
  const withCode = (kind: CodeOrder["kind"], summary: string): Endpoint =>
    openEndpoint({
      method: "POST",
      path: `/auth/two-factor/verify-${kind}`,
      summary,
      body: secondStep,
      answer: done,
      async handle(visit) {
        const { code, trust_device: trustDevice } = visit.body
        const user = visit.actor?.kind === "user" ? visit.actor : undefined
        const order = { kind, code, trustDevice }
        const { cookies } = await door.withCode(user, visitorOf(visit), order)
        return finish(visit, cookies)
      },
    })
  return [
    withCode("totp", "The code of your authenticator: the second step of signing in"),
    withCode("backup-code", "A backup code, where the authenticator is lost"),
  ]
}

function twoFactorEndpoints({ own }: OwnPasswordServices, finish: Finish): Endpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/auth/two-factor/enable",
      summary: "Begin to set up a second factor; a code of it switches it on",
      least: "session",
      body: ownPassword,
      answer: twoFactorSetup,
      async handle(asked) {
        const { password } = asked.body
        const setup = await own.beginTwoFactor(asked.actor, visitorOf(asked), password)
        return { totp_uri: setup.uri, secret: setup.secret, backup_codes: setup.backupCodes }
      },
    }),
    endpoint({
      method: "POST",
      path: "/auth/two-factor/disable",
      summary: "Switch your second factor off",
      least: "session",
      body: ownPassword,
      answer: done,
      handle: async (asked) =>
        finish(asked, await own.endTwoFactor(asked.actor, visitorOf(asked), asked.body.password)),
    }),
    endpoint({
      method: "POST",
      path: "/auth/two-factor/generate-backup-codes",
      summary: "New backup codes; the old ones end",
      least: "session",
      body: ownPassword,
      answer: backupCodes,
      async handle(asked) {
        const { password } = asked.body
        const codes = await own.newBackupCodes(asked.actor, visitorOf(asked), password)
        return { backup_codes: codes }
      },
    }),
  ]
}
