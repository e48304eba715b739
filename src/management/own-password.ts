import type { ClientInfo } from "../users/client-info.ts"
import type { TwoFactorSetup as Setup } from "../users/second-factors.ts"
import type { Users } from "../users/users.ts"
import { type Actor, userActor } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { requireUser } from "./sessions.ts"

/** Changes the password and the second factor of the signed-in user. Each change is recorded in the audit log. */
export class OwnPassword {
  readonly #users: Users
  readonly #audit: Audit

  constructor(users: Users, audit: Audit) {
    this.#users = users
    this.#audit = audit
  }

  /**
   * Changes the password, and ends all other sessions and password links of the user.
   * @returns the cookies of the remaining session.
   */
  async change(
    actor: Actor,
    client: ClientInfo,
    input: { readonly current: string; readonly next: string },
  ): Promise<readonly string[]> {
    const target = requireUser(actor)
    const { current, next } = input
    const cookies = await this.#users.own.changePassword(client, current, next)
    await this.#audit.record(actor, { action: "user.password", target })
    return cookies
  }

  /**
   * Checks a password link.
   * @throws GatewayError `forbidden` for a used or expired link.
   */
  checkReset(client: ClientInfo, token: string): Promise<void> {
    return this.#users.own.checkReset(client, token)
  }

  /** Sets a new password through a link that an operator has created. All sessions of the user end. */
  async reset(client: ClientInfo, token: string, next: string): Promise<void> {
    const user = await this.#users.own.resetPassword(client, token, next)
    const actor = userActor(user, new Map(), client.address)
    const change = { action: "user.password", target: user.id, after: { by: "link" } }
    await this.#audit.record(actor, change)
  }

  /** Starts setting up a second factor, which becomes active with the first valid code. */
  beginTwoFactor(actor: Actor, client: ClientInfo, password: string): Promise<Setup> {
    requireUser(actor)
    return this.#users.own.beginTwoFactor(client, password)
  }

  /** Disables the second factor. @returns the cookies of the remaining session. */
  async endTwoFactor(
    actor: Actor,
    client: ClientInfo,
    password: string,
  ): Promise<readonly string[]> {
    const target = requireUser(actor)
    const cookies = await this.#users.own.endTwoFactor(client, password)
    await this.#audit.record(actor, { action: "user.two_factor", target, after: { on: false } })
    return cookies
  }

  /** Creates backup codes, which replace all earlier ones. */
  async newBackupCodes(
    actor: Actor,
    client: ClientInfo,
    password: string,
  ): Promise<readonly string[]> {
    const target = requireUser(actor)
    const codes = await this.#users.own.newBackupCodes(client, password)
    await this.#audit.record(actor, { action: "user.backup_codes", target })
    return codes
  }
}
