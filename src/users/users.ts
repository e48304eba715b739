import { randomUUID } from "node:crypto"
import type { InstallationSecrets } from "../secrets/installation-secrets.ts"
import type { ConsoleStore } from "../store/console-store.ts"
import type { SessionRecord } from "../store/sessions.ts"
import type { Identity, UserChange, UserFilter, UserRecord } from "../store/users.ts"
import { AttemptLimits } from "./attempt-limits.ts"
import { FactorCipher } from "./factor-cipher.ts"
import { Issuers } from "./issuers.ts"
import { OwnCredentials } from "./own-credentials.ts"
import { Passkeys } from "./passkeys.ts"
import { Passwords } from "./passwords.ts"
import { rejections } from "./rejections.ts"
import { SecondFactors } from "./second-factors.ts"
import { SignIn } from "./sign-in.ts"
import { type OpenSession, UserSessions } from "./user-sessions.ts"
import { foldedEmail } from "../accounting/email-address.ts"
import type { SetupToken } from "../secrets/setup-token.ts"

export interface UsersOptions {
  /** The store, which is closed when `Users` is disposed of. */
  readonly store: ConsoleStore
  readonly secrets: InstallationSecrets
  /** Whether an email address is invited. Issuers may only create invited users. */
  readonly isInvited: (email: string) => Promise<boolean>
  /** Reports a failure to the operator. */
  readonly onFailure: (message: string) => void
}

export interface NewUser {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** The users of the console. All processes share the store of the users and their sessions. */
export class Users implements Disposable {
  readonly signIn: SignIn
  readonly issuers: Issuers
  readonly passkeys: Passkeys
  readonly own: OwnCredentials
  readonly setupToken: SetupToken
  readonly #store: ConsoleStore
  readonly #sessions: UserSessions
  readonly #passwords = new Passwords()
  readonly #limits: AttemptLimits

  constructor({ store, secrets, isInvited, onFailure }: UsersOptions) {
    const limits = new AttemptLimits(store)
    const sessions = new UserSessions(store)
    const cipher = new FactorCipher(() => secrets.readOrCreate("session-secret"))
    const secondFactors = new SecondFactors(store, cipher)
    const parts = { store, limits, sessions, secondFactors, passwords: this.#passwords }
    this.#store = store
    this.#sessions = sessions
    this.#limits = limits
    this.signIn = new SignIn(parts)
    this.own = new OwnCredentials(parts)
    this.passkeys = new Passkeys(parts)
    this.issuers = new Issuers({
      store,
      limits,
      sessions,
      signIn: this.signIn,
      isInvited,
      onFailure,
    })
    this.setupToken = secrets.setupToken
  }

  hasOperator(): Promise<boolean> {
    return this.#store.users.hasOperator()
  }

  find(id: string): Promise<UserRecord | null> {
    return this.#store.users.find(id)
  }

  findByEmail(email: string): Promise<UserRecord | null> {
    return this.#store.users.findByEmail(foldedEmail(email))
  }

  /**
   * Returns a user.
   * @throws GatewayError `not_found`.
   */
  async require(id: string): Promise<UserRecord> {
    const user = await this.find(id)
    if (user) return user
    throw rejections.noSuchUser(id)
  }

  /** Returns users, oldest first. */
  list(filter: UserFilter): Promise<UserRecord[]> {
    return this.#store.users.list(filter)
  }

  /** Returns a user's identities at issuers. */
  identities(id: string): Promise<Identity[]> {
    return this.#store.users.identities(id)
  }

  /** Returns the users with the given ids. Unknown ids are omitted. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, UserRecord>> {
    return this.#store.users.many(ids)
  }

  /**
   * Creates a user.
   * @throws GatewayError `conflict` if the address is taken.
   */
  create(user: NewUser): Promise<UserRecord> {
    return this.#create(user, false)
  }

  /**
   * Creates the first user, who is an operator.
   * @throws GatewayError `conflict` if an operator already exists.
   */
  createFirst(user: NewUser): Promise<UserRecord> {
    return this.#create(user, true)
  }

  /**
   * Changes a user.
   * @throws GatewayError `not_found`; `conflict` for the last operator, and for an address that is taken.
   */
  async change(id: string, change: UserChange): Promise<UserRecord> {
    const outcome = await this.#store.users.change(id, change)
    if (outcome === "last_operator") throw rejections.isLastOperator()
    if (outcome === "email_taken") throw rejections.isAddressOfAnother()
    return this.require(id)
  }

  /**
   * Deletes a user with all their credentials. @throws GatewayError `conflict` for the last
   * operator.
   */
  async remove(id: string): Promise<void> {
    if (!(await this.#store.users.remove(id))) throw rejections.isLastOperator()
  }

  /** Removes the second factor and the passkeys of a user who has lost access to them. */
  async removeTwoFactor(id: string): Promise<void> {
    await this.#store.secondFactors.remove(id)
    await this.#store.passkeys.removeAll(id)
  }

  /**
   * Creates a token that can set a new password once, within a day. Earlier tokens stop working.
   * @throws GatewayError `not_found`.
   */
  async createReset(id: string): Promise<{ readonly token: string; readonly expiresAt: number }> {
    return this.own.createReset(await this.require(id))
  }

  /** Returns the session of these cookies, or null. */
  sessionOf(cookie: string | null): Promise<OpenSession | null> {
    return this.#sessions.find(cookie)
  }

  /** Extends an active session. @returns the cookies for the browser. */
  renew(cookie: string): Promise<readonly string[]> {
    return this.#sessions.renew(cookie)
  }

  /**
   * Ends the session of these cookies.
   * @returns the cookies for the browser.
   */
  signOut(cookie: string | null): Promise<readonly string[]> {
    return this.#sessions.signOut(cookie)
  }

  /** Returns the open sessions of a user, newest first. */
  sessions(userId: string): Promise<SessionRecord[]> {
    return this.#sessions.list(userId)
  }

  /**
   * Ends a session.
   * @returns whether the user had a session with this id.
   */
  endSession(userId: string, id: string): Promise<boolean> {
    return this.#sessions.end(userId, id)
  }

  /** Counts an attempt to use a link. @throws GatewayError `too_many_attempts`. */
  beginAttempt(name: string, address: string | null): Promise<() => Promise<void>> {
    return this.#limits.beginFrom(name, address)
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]()
  }

  async #create({ name, email, password }: NewUser, isFirst: boolean): Promise<UserRecord> {
    this.#passwords.requireRoom()
    const id = `user_${randomUUID().replaceAll("-", "")}`
    const outcome = await this.#store.users.create({
      id,
      name,
      email: foldedEmail(email),
      passwordHash: await this.#passwords.hash(password),
      identity: null,
      isFirst,
      createdAt: Date.now(),
    })
    if (outcome === "operator_exists") throw rejections.operatorExists()
    if (outcome === "email_taken") throw rejections.isRegistered(foldedEmail(email))
    return this.require(id)
  }
}
