import type { ConsoleStore } from "../store/console-store.ts"
import type { UserRecord } from "../store/users.ts"
import { attemptKey, type AttemptLimits } from "./attempt-limits.ts"
import type { ClientInfo } from "./client-info.ts"
import {
  CHALLENGE_COOKIE,
  cookieNamed,
  expireCookie,
  SESSION_COOKIE,
  setCookie,
  TRUST_COOKIE,
} from "./cookies.ts"
import type { Passwords } from "./passwords.ts"
import { rejections } from "./rejections.ts"
import type { SecondFactorInput, SecondFactors } from "./second-factors.ts"
import { hashToken, newToken } from "./tokens.ts"
import type { OpenSession, SessionInput, UserSessions } from "./user-sessions.ts"
import { foldedEmail } from "../accounting/email-address.ts"

/** Maximum time between the password and the code. */
const CHALLENGE_LIFETIME_SECONDS = 10 * 60
const CODES_PER_CHALLENGE = 5
/** Lifetime of trust in a browser, which starts at its last sign-in. */
const TRUST_LIFETIME_SECONDS = 30 * 24 * 60 * 60

export interface Credentials {
  readonly email: string
  readonly password: string
  /** Whether the session continues after the browser is closed. */
  readonly remember: boolean
}

/** The result of a sign-in step. */
export interface SignedIn {
  /** Values of `set-cookie` headers. */
  readonly cookies: readonly string[]
  /** The new session; null if a code is required first, or if the browser already had a session. */
  readonly session: OpenSession | null
}

/** The part of a session that is stored with the challenge until a code opens the session. */
type PendingSession = Pick<SessionInput, "isRemembered" | "passwordHash">

export interface SignInParts {
  readonly store: ConsoleStore
  readonly limits: AttemptLimits
  readonly passwords: Passwords
  readonly sessions: UserSessions
  readonly secondFactors: SecondFactors
}

/** Signs users in with a password. Users with a second factor also need a code, even after signing in at an issuer. */
export class SignIn {
  readonly #parts: SignInParts

  constructor(parts: SignInParts) {
    this.#parts = parts
  }

  /**
   * Checks a password.
   * @throws GatewayError `not_signed_in`, `too_many_attempts`, `forbidden` for a disabled user.
   */
  async withPassword(client: ClientInfo, credentials: Credentials): Promise<SignedIn> {
    const { limits, passwords } = this.#parts
    const takeBack = await limits.beginBy(client, attemptKey("user", credentials.email))
    passwords.requireRoom()
    const { user, passwordHash } = await this.#userWith(credentials)
    if (user.isDisabled) throw rejections.isDisabled()
    const response = await this.afterFirstFactor(user, client, {
      isRemembered: credentials.remember,
      passwordHash,
    })
    await takeBack()
    return response
  }

  /**
   * Opens a session after a password or an identity was verified, or requests the user's second
   * factor.
   */
  async afterFirstFactor(
    user: UserRecord,
    client: ClientInfo,
    input: PendingSession,
  ): Promise<SignedIn> {
    const trust = user.hasTwoFactor ? await this.#trustAgain(user, client) : []
    const response =
      trust === undefined
        ? await this.#challenge(user, input)
        : await this.#parts.sessions.open(user, client, input)
    return { ...response, cookies: [...response.cookies, ...(trust ?? [])] }
  }

  /**
   * Performs the second step of a sign-in. With a session, this is the last step of setting up a second factor.
   * @throws GatewayError `invalid_value` for a wrong code, `not_signed_in` if the challenge has expired.
   */
  async withCode(client: ClientInfo, input: SecondFactorInput): Promise<SignedIn> {
    const { limits, sessions } = this.#parts
    const challenge = cookieNamed(client.cookie, CHALLENGE_COOKIE)
    const open = await sessions.find(client.cookie)
    const takeBack = await limits.beginBy(
      client,
      open ? attemptKey("session", open.sessionId) : attemptKey("code", challenge),
    )
    const response = open
      ? await this.#confirm(open, client, input)
      : await this.#pass(challenge, client, input)
    await takeBack()
    return response
  }

  /**
   * Returns the user with these credentials. The check takes the same time for an unknown address as for a wrong
   * password.
   */
  async #userWith({
    email,
    password,
  }: Credentials): Promise<{ readonly user: UserRecord; readonly passwordHash: string }> {
    const { store, passwords } = this.#parts
    const user = await store.users.findByEmail(foldedEmail(email))
    const passwordHash = user && (await store.users.passwordHash(user.id))
    if (user && passwordHash !== null) {
      if (await passwords.verify(password, passwordHash)) return { user, passwordHash }
    } else await passwords.hash(password)
    throw rejections.wrongCredentials()
  }

  async #challenge(user: UserRecord, pending: PendingSession): Promise<SignedIn> {
    const token = newToken()
    await this.#parts.store.proofs.create({
      kind: "challenge",
      hash: hashToken("challenge", token),
      user: user.id,
      value: JSON.stringify(pending),
      expiresAt: Date.now() + CHALLENGE_LIFETIME_SECONDS * 1_000,
    })
    const cookies = [
      expireCookie(SESSION_COOKIE),
      setCookie(CHALLENGE_COOKIE, token, CHALLENGE_LIFETIME_SECONDS),
    ]
    return { cookies, session: null }
  }

  async #pass(
    token: string | undefined,
    client: ClientInfo,
    input: SecondFactorInput,
  ): Promise<SignedIn> {
    if (token === undefined) throw rejections.challengeIsOver()
    const { store, secondFactors, sessions } = this.#parts
    const hash = hashToken("challenge", token)
    const proof = await store.proofs.find("challenge", hash, Date.now())
    const user = proof && proof.user !== null ? await store.users.find(proof.user) : null
    if (!proof || !user) throw rejections.challengeIsOver()
    const factor = await secondFactors.require(user)
    if (!factor.isActive) throw rejections.hasNoSecondFactor()
    secondFactors.requireUnlocked(factor)
    if (!(await store.proofs.countAttempt("challenge", hash, CODES_PER_CHALLENGE)))
      throw rejections.challengeIsOver()
    try {
      await secondFactors.use(user, factor, input)
    } catch (error) {
      await secondFactors.fail(user)
      throw error
    }
    if (!(await store.proofs.take("challenge", hash, Date.now())))
      throw rejections.challengeIsOver()
    const pending = JSON.parse(proof.value) as PendingSession
    const { session, cookies } = await sessions.open(user, client, pending)
    const trust = input.trustDevice ? [await this.#trust(user)] : []
    return { session, cookies: [...cookies, expireCookie(CHALLENGE_COOKIE), ...trust] }
  }

  /** Activates a factor with its first correct code, and renews the session. */
  async #confirm(
    { user, sessionId, isRemembered }: OpenSession,
    client: ClientInfo,
    input: SecondFactorInput,
  ): Promise<SignedIn> {
    const { secondFactors, sessions } = this.#parts
    const factor = await secondFactors.require(user)
    await secondFactors.use(user, factor, input)
    if (factor.isActive || input.kind !== "totp") return { cookies: [], session: null }
    return sessions.open(user, client, { isRemembered, replaced: sessionId })
  }

  /**
   * Marks a browser as trusted.
   * @returns its cookie.
   */
  async #trust(user: UserRecord): Promise<string> {
    const token = newToken()
    await this.#parts.store.proofs.create({
      kind: "trusted-browser",
      hash: hashToken("trusted-browser", token),
      user: user.id,
      value: "",
      expiresAt: Date.now() + TRUST_LIFETIME_SECONDS * 1_000,
    })
    return setCookie(TRUST_COOKIE, token, TRUST_LIFETIME_SECONDS)
  }

  /** Returns a new cookie for a browser that the user trusts; undefined for other browsers. */
  async #trustAgain(user: UserRecord, client: ClientInfo): Promise<string[] | undefined> {
    const token = cookieNamed(client.cookie, TRUST_COOKIE)
    if (token === undefined) return undefined
    const { proofs } = this.#parts.store
    const hash = hashToken("trusted-browser", token)
    const proof = await proofs.find("trusted-browser", hash, Date.now())
    if (proof?.user !== user.id) return undefined
    const isTaken = await proofs.take("trusted-browser", hash, Date.now())
    return isTaken ? [await this.#trust(user)] : undefined
  }
}
