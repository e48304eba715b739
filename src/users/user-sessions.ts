import { DAY_MS, HOUR_MS } from "#contract/durations.ts"
import { randomUUID } from "node:crypto"
import type { ConsoleStore } from "../store/console-store.ts"
import type { SessionRecord } from "../store/sessions.ts"
import type { UserRecord } from "../store/users.ts"
import type { ClientInfo } from "./client-info.ts"
import { cookieNamed, expireCookie, SESSION_COOKIE, setCookie } from "./cookies.ts"
import { rejections } from "./rejections.ts"
import { hashToken, newToken } from "./tokens.ts"

/** Milliseconds without use after which a persistent session expires. */
const SESSION_LIFETIME_MS = 7 * DAY_MS
const RENEWAL_INTERVAL_MS = HOUR_MS
/** Lifetime of a session that ends when the browser is closed. It is not renewed. */
const SHORT_SESSION_LIFETIME_MS = DAY_MS
/** Minimum interval between updates of `lastSeenAt`. */
const SEEN_INTERVAL_MS = 60_000
const MAX_AGENT_LENGTH = 300

/** A user and their session. */
export interface OpenSession {
  readonly user: UserRecord
  readonly sessionId: string
  readonly isRemembered: boolean
}

export interface SessionInput {
  /** Set if the session continues after the browser is closed. */
  readonly isRemembered: boolean
  /** The id of the session that the new session replaces. That session ends. */
  readonly replaced?: string
  /** The stored hash that the entered password matched. */
  readonly passwordHash?: string
}

/** A new session with its cookies. */
export interface NewOpenSession {
  readonly session: OpenSession
  readonly cookies: readonly string[]
}

/** Creates, finds, renews and ends sessions. */
export class UserSessions {
  readonly #store: ConsoleStore

  constructor(store: ConsoleStore) {
    this.#store = store
  }

  /**
   * Starts a session. It always has a new token, never one that the browser sent.
   * @throws GatewayError `forbidden` for a disabled user, `not_signed_in` if the password was changed in the meantime.
   */
  async open(user: UserRecord, client: ClientInfo, input: SessionInput): Promise<NewOpenSession> {
    const { isRemembered, replaced = null, passwordHash = null } = input
    const token = newToken()
    const id = `session_${randomUUID().replaceAll("-", "")}`
    const createdAt = Date.now()
    const isOpen = await this.#store.sessions.create(
      {
        id,
        user: user.id,
        tokenHash: hashToken("session", token),
        isRemembered,
        passwordHash,
        createdAt,
        expiresAt: createdAt + (isRemembered ? SESSION_LIFETIME_MS : SHORT_SESSION_LIFETIME_MS),
        address: client.address,
        agent: client.agent?.slice(0, MAX_AGENT_LENGTH) ?? null,
      },
      replaced,
    )
    if (!isOpen) {
      throw (await this.#store.users.find(user.id))?.isDisabled
        ? rejections.isDisabled()
        : rejections.wrongCredentials()
    }
    const session = { user, sessionId: id, isRemembered }
    return { session, cookies: [sessionCookie(token, isRemembered)] }
  }

  /** Returns the session of these cookies, or null. */
  async find(cookie: string | null): Promise<OpenSession | null> {
    const token = cookieNamed(cookie, SESSION_COOKIE)
    if (token === undefined) return null
    const now = Date.now()
    const found = await this.#store.sessions.find(hashToken("session", token), now)
    const user = found && (await this.#store.users.find(found.user))
    if (!found || !user || user.isDisabled) return null
    if (now - (user.lastSeenAt ?? 0) > SEEN_INTERVAL_MS) await this.#store.users.seen(user.id, now)
    return { user, sessionId: found.id, isRemembered: found.isRemembered }
  }

  /**
   * Returns the session of these cookies. @throws GatewayError `not_signed_in` if there is none.
   */
  async require(cookie: string | null): Promise<OpenSession> {
    const session = await this.find(cookie)
    if (session) return session
    throw rejections.notSignedIn()
  }

  /** Extends an active session. @returns the cookies for the browser. */
  async renew(cookie: string): Promise<readonly string[]> {
    const token = cookieNamed(cookie, SESSION_COOKIE)
    if (token === undefined) return []
    const now = Date.now()
    const found = await this.#store.sessions.find(hashToken("session", token), now)
    if (!found?.isRemembered) return []
    const expiresAt = now + SESSION_LIFETIME_MS
    // The difference is absolute, because after the clock was set back a session has more time left than a new one.
    if (Math.abs(expiresAt - found.expiresAt) < RENEWAL_INTERVAL_MS) return []
    await this.#store.sessions.renew(found.id, expiresAt)
    return [sessionCookie(token, true)]
  }

  /**
   * Ends the session of these cookies.
   * @returns the cookies for the browser.
   */
  async signOut(cookie: string | null): Promise<readonly string[]> {
    const token = cookieNamed(cookie, SESSION_COOKIE)
    const found =
      token === undefined
        ? null
        : await this.#store.sessions.find(hashToken("session", token), Date.now())
    if (found) await this.#store.sessions.end(found.user, found.id)
    return [expireCookie(SESSION_COOKIE)]
  }

  /** Returns the open sessions of a user, newest first. */
  list(user: string): Promise<SessionRecord[]> {
    return this.#store.sessions.list(user, Date.now())
  }

  /**
   * Ends a session.
   * @returns whether the user had a session with this id.
   */
  end(user: string, id: string): Promise<boolean> {
    return this.#store.sessions.end(user, id)
  }
}

function sessionCookie(token: string, isRemembered: boolean): string {
  return setCookie(SESSION_COOKIE, token, isRemembered ? SESSION_LIFETIME_MS / 1_000 : undefined)
}
