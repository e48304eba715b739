import type { ClientInfo } from "../users/auth-calls.ts"
import type { TwoFactorSetup as Setup } from "../users/sign-in.ts"
import type { Users } from "../users/users.ts"
import type { Actor } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { requireUser } from "./sessions.ts"
import { userActor } from "./user-actor.ts"

/** Changes that people make to their own password and second factor; each is recorded. */
export class OwnPassword {
  readonly #users: Users
  readonly #audit: Audit

  constructor(users: Users, audit: Audit) {
    this.#users = users
    this.#audit = audit
  }

  /**
   * Ends all their other sessions, and links that would set another password.
   * @returns the cookies of the remaining session.
   */
  async change(
    actor: Actor,
    client: ClientInfo,
    input: { readonly current: string; readonly next: string },
  ): Promise<readonly string[]> {
    const target = requireUser(actor)
    const { current, next } = input
    const { cookies } = await this.#users.signIn.changePassword(client, current, next)
    this.#users.endProofs(target)
    await this.#audit.record(actor, { action: "user.password", target })
    return cookies
  }

  /** By an operator's link. All sessions of the user end. */
  async reset(client: ClientInfo, token: string, next: string): Promise<void> {
    const user = await this.#users.userOfReset(token)
    await this.#users.signIn.resetPassword(client, token, next)
    if (!user) return
    const actor = userActor(user, new Map(), client.address)
    const change = { action: "user.password", target: user.id, after: { by: "link" } }
    await this.#audit.record(actor, change)
  }

  /** Starts setting up a second factor; it is active once a code of it was sent. */
  beginTwoFactor(actor: Actor, client: ClientInfo, password: string): Promise<Setup> {
    requireUser(actor)
    return this.#users.signIn.beginTwoFactor(client, password)
  }

  /** @returns the cookies of the remaining session. */
  async endTwoFactor(
    actor: Actor,
    client: ClientInfo,
    password: string,
  ): Promise<readonly string[]> {
    const target = requireUser(actor)
    const { cookies } = await this.#users.signIn.endTwoFactor(client, password)
    await this.#audit.record(actor, { action: "user.two_factor", target, after: { on: false } })
    return cookies
  }

  /** The old ones are worth nothing from now on. */
  async newBackupCodes(
    actor: Actor,
    client: ClientInfo,
    password: string,
  ): Promise<readonly string[]> {
    const target = requireUser(actor)
    const codes = await this.#users.signIn.newBackupCodes(client, password)
    await this.#audit.record(actor, { action: "user.backup_codes", target })
    return codes
  }
}
