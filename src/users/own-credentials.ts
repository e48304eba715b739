import type { UserRecord } from "../store/users.ts"
import { attemptKey } from "./attempt-limits.ts"
import type { ClientInfo } from "./client-info.ts"
import { cookieNamed, expireCookie, SESSION_COOKIE, TRUST_COOKIE } from "./cookies.ts"
import { rejections } from "./rejections.ts"
import type { TwoFactorSetup } from "./second-factors.ts"
import type { SignInParts } from "./sign-in.ts"
import { hashToken, newToken } from "./tokens.ts"
import type { OpenSession } from "./user-sessions.ts"

const RESET_LIFETIME_MS = 24 * 60 * 60 * 1_000
/** The kind of proof for a link that sets a password. */
const RESET = "reset-password"

/** Changes a user's own password and second factor. */
export class OwnCredentials {
  readonly #parts: SignInParts

  constructor(parts: SignInParts) {
    this.#parts = parts
  }

  /**
   * Changes the password. This ends all sessions of the user and invalidates all password links.
   * @returns the cookies of a new session.
   * @throws GatewayError `invalid_value` for a wrong password, `conflict` for a user without a password.
   */
  changePassword(client: ClientInfo, current: string, next: string): Promise<readonly string[]> {
    return this.#attempt(client, async ({ user, isRemembered }) => {
      const { store, passwords, sessions } = this.#parts
      const hash = await store.users.passwordHash(user.id)
      if (hash === null) throw rejections.hasNoPassword()
      if (!(await passwords.verify(current, hash)))
        throw rejections.wrongPassword("current_password")
      if (!(await store.users.setPassword(user.id, await passwords.hash(next), hash))) {
        throw rejections.wrongPassword("current_password")
      }
      return (await sessions.open(user, client, { isRemembered })).cookies
    })
  }

  /** Creates a token that can set a new password once, within a day. Earlier tokens stop working. */
  async createReset(
    user: UserRecord,
  ): Promise<{ readonly token: string; readonly expiresAt: number }> {
    const { proofs } = this.#parts.store
    await proofs.endAll(user.id)
    const token = newToken()
    const expiresAt = Date.now() + RESET_LIFETIME_MS
    const hash = hashToken(RESET, token)
    await proofs.create({ kind: RESET, hash, user: user.id, value: "", expiresAt })
    return { token, expiresAt }
  }

  /**
   * Checks a link.
   * @throws GatewayError `forbidden` for a used or expired link.
   */
  async checkReset(client: ClientInfo, token: string): Promise<void> {
    const { store, limits } = this.#parts
    const takeBack = await limits.beginBy(client, attemptKey("reset", token))
    const proof = await store.proofs.find(RESET, hashToken(RESET, token), Date.now())
    if (proof === null) throw rejections.resetIsOver()
    await takeBack()
  }

  /**
   * Sets a password through a link from an operator, and ends all sessions of the user.
   * @throws GatewayError `forbidden` for a used or expired link.
   */
  async resetPassword(client: ClientInfo, token: string, next: string): Promise<UserRecord> {
    const { store, limits, passwords } = this.#parts
    const takeBack = await limits.beginBy(client, attemptKey("reset", token))
    passwords.requireRoom()
    const proof = await store.proofs.take(RESET, hashToken(RESET, token), Date.now())
    const user = proof && proof.user !== null ? await store.users.find(proof.user) : null
    if (!user) throw rejections.resetIsOver()
    await store.users.setPassword(user.id, await passwords.hash(next))
    await takeBack()
    return user
  }

  /** Starts setting up a second factor, which becomes active with the first correct code. */
  beginTwoFactor(client: ClientInfo, password: string): Promise<TwoFactorSetup> {
    return this.#attempt(client, async ({ user }) => {
      await this.#requirePassword(user, password)
      return this.#parts.secondFactors.begin(user)
    })
  }

  /**
   * Disables the second factor.
   * @returns the cookies of a new session.
   */
  endTwoFactor(client: ClientInfo, password: string): Promise<readonly string[]> {
    return this.#attempt(client, async ({ user, sessionId, isRemembered }) => {
      await this.#requirePassword(user, password)
      const { store, sessions } = this.#parts
      await store.secondFactors.remove(user.id)
      const opened = await sessions.open(user, client, { isRemembered, replaced: sessionId })
      return [...opened.cookies, expireCookie(TRUST_COOKIE)]
    })
  }

  /** Replaces the backup codes. */
  newBackupCodes(client: ClientInfo, password: string): Promise<readonly string[]> {
    return this.#attempt(client, async ({ user }) => {
      if (!user.hasTwoFactor) throw rejections.hasNoSecondFactor()
      await this.#requirePassword(user, password)
      return this.#parts.secondFactors.replaceBackupCodes(user)
    })
  }

  async #requirePassword(user: UserRecord, password: string): Promise<void> {
    const { store, passwords } = this.#parts
    const hash = await store.users.passwordHash(user.id)
    if (hash === null || !(await passwords.verify(password, hash)))
      throw rejections.wrongPassword("password")
  }

  async #attempt<T>(client: ClientInfo, work: (session: OpenSession) => Promise<T>): Promise<T> {
    const { limits, passwords, sessions } = this.#parts
    const key = attemptKey("session", cookieNamed(client.cookie, SESSION_COOKIE))
    const takeBack = await limits.beginBy(client, key)
    passwords.requireRoom()
    const result = await work(await sessions.require(client.cookie))
    await takeBack()
    return result
  }
}
