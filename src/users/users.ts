import { randomBytes, randomUUID } from "node:crypto"
import { join } from "node:path"
import { readOrCreate } from "../config/secrets.ts"
import { Attempts } from "./failed-attempts.ts"
import { AuthServers } from "./auth-servers.ts"
import { type ConsoleDatabase, openConsoleDatabase } from "../store/console-database.ts"
import { cookieNamed, SESSION_COOKIE } from "./cookies.ts"
import { Passwords } from "./passwords.ts"
import { SetupToken } from "./setup-token.ts"
import { SignIn } from "./sign-in.ts"
import { signedValue } from "./signed-cookie.ts"
import type { NewUser, SessionRecord, UserFilter, UserRecord } from "./user-records.ts"
import { UserTable } from "./user-table.ts"

/** How long a link that sets a new password works, milliseconds. */
const RESET_TIME = 24 * 60 * 60 * 1_000
/** When someone was last seen is kept to the minute. */
const SEEN_STEP = 60_000

export interface UsersOptions {
  readonly data: string
  /** Whether an address is invited, so that someone new may come from an issuer. */
  readonly isInvited: (email: string) => Promise<boolean>
  /** What the operator has to hear. */
  readonly onFailure: (message: string) => void
}

/** A user with the session that they ask in. */
export interface OpenSession {
  readonly user: UserRecord
  readonly sessionId: string
}

/**
 * Who may sign in to the console. Users and sessions are in `console.db`, which all processes share;
 * better-auth, which knows how to let people in, is loaded when it is first needed.
 */
export class Users implements Disposable {
  readonly signIn: SignIn
  readonly setupToken: SetupToken
  readonly #database: ConsoleDatabase
  readonly #table: UserTable
  readonly #servers: AuthServers
  readonly #passwords = new Passwords()
  readonly #attempts: Attempts
  readonly #secretPath: string
  #knownSecret: string | undefined

  /** @throws Error when `console.db` cannot be opened. */
  constructor({ data, isInvited, onFailure }: UsersOptions) {
    this.#database = openConsoleDatabase(data)
    this.#table = new UserTable(this.#database)
    this.#table.sweep(Date.now())
    this.#attempts = new Attempts(this.#database)
    this.setupToken = new SetupToken(data)
    this.#secretPath = join(data, "secrets", "session-secret")
    this.#servers = new AuthServers({
      secret: () => this.#secret(),
      database: this.#database,
      passwords: this.#passwords,
      isDisabled: (id) => this.#table.find(id)?.isDisabled ?? true,
      isInvited,
      onFailure,
    })
    const attempts = this.#attempts
    this.signIn = new SignIn({ servers: this.#servers, attempts, passwords: this.#passwords })
  }

  hasOperator(): boolean {
    return this.#table.hasOperator()
  }

  find(id: string): UserRecord | null {
    return this.#table.find(id)
  }

  findByEmail(email: string): UserRecord | null {
    return this.#table.findByEmail(email.toLowerCase())
  }

  /** The oldest first. */
  list(filter: UserFilter): UserRecord[] {
    return this.#table.list(filter)
  }

  /** Those of the ids that exist. */
  many(ids: readonly string[]): ReadonlyMap<string, UserRecord> {
    return this.#table.many(ids)
  }

  /** @throws GatewayError `conflict` when the address is taken. */
  async create(user: NewUser): Promise<UserRecord> {
    return this.#create(user, false)
  }

  /** The first user, who is the operator. @throws GatewayError `conflict` when there is an operator. */
  async createFirst(user: NewUser): Promise<UserRecord> {
    return this.#create(user, true)
  }

  /** @throws GatewayError `not_found`; `conflict` for the last operator. */
  change(id: string, change: { isOperator?: boolean; isDisabled?: boolean }): UserRecord {
    return this.#table.change(id, change)
  }

  /** Takes the second factor away, for someone who has lost it. */
  removeTwoFactor(id: string): void {
    this.#table.removeTwoFactor(id)
  }

  /**
   * A token that sets a new password, once, within a day. Earlier ones end.
   * @throws GatewayError `not_found`.
   */
  async createReset(id: string): Promise<{ readonly token: string; readonly expiresAt: number }> {
    const user = this.#table.require(id)
    this.#table.endProofs(id)
    const token = randomBytes(32).toString("base64url")
    const expiresAt = Date.now() + RESET_TIME
    const { internalAdapter } = await (await this.#servers.forPasswords()).$context
    await internalAdapter.createVerificationValue({
      identifier: `reset-password:${token}`,
      value: user.id,
      expiresAt: new Date(expiresAt),
    })
    return { token, expiresAt }
  }

  /** Whose password a token sets; null for one that is worth nothing. */
  async userOfReset(token: string): Promise<UserRecord | null> {
    const { internalAdapter } = await (await this.#servers.forPasswords()).$context
    const found = await internalAdapter.findVerificationValue(`reset-password:${token}`)
    return found ? this.#table.find(found.value) : null
  }

  /** Ends links that set their password, sign-ins that wait for a code, and browsers that are asked for none. */
  endProofs(userId: string): void {
    this.#table.endProofs(userId)
  }

  /**
   * Who asks with these cookies; null for no one. Asked for each request of the console, so it is
   * looked up without better-auth, which takes twenty times as long.
   */
  async sessionOf(cookie: string | null): Promise<OpenSession | null> {
    const signed = cookieNamed(cookie, SESSION_COOKIE)
    const token = signed && signedValue(signed, this.#secret())
    if (!token) return null
    const now = Date.now()
    const session = this.#table.sessionOf(token, now)
    const user = session && this.#table.find(session.userId)
    if (!session || !user || user.isDisabled) return null
    if (now - (user.lastSeenAt ?? 0) > SEEN_STEP) this.#table.seen(user.id, now)
    return { user, sessionId: session.id }
  }

  /** Lets a session that is used live on. @returns the cookies that tell the browser. */
  async renew(cookie: string): Promise<readonly string[]> {
    const server = await this.#servers.forPasswords()
    const headers = new Headers({ cookie })
    const renewed = await server.api.getSession({ headers, returnHeaders: true })
    return renewed.headers.getSetCookie()
  }

  /** The open sessions of a user, the newest first. */
  sessions(userId: string): SessionRecord[] {
    return this.#table.sessions(userId, Date.now())
  }

  /** @returns whether there was such a session of theirs. */
  endSession(userId: string, id: string): boolean {
    return this.#table.endSession(userId, id)
  }

  /** Counts an attempt to come in by a link. @throws GatewayError `too_many_attempts`. */
  beginAttempt(name: string, address: string | null): () => void {
    return this.#attempts.beginFrom(name, address)
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }

  #secret(): string {
    return (this.#knownSecret ??= readOrCreate(this.#secretPath))
  }

  async #create({ name, email, password }: NewUser, isFirst: boolean): Promise<UserRecord> {
    this.#passwords.requireRoom()
    const passwordHash = await this.#passwords.hash(password)
    const id = `user_${randomUUID().replaceAll("-", "")}`
    const input = { id, name, email: email.toLowerCase(), passwordHash, isFirst }
    return this.#table.create(input, Date.now())
  }
}
