import type { BaseUrl } from "./base-url.ts"
import type { AccountRole, Page } from "#contract/common.ts"
import type { OpenSession, Session } from "#contract/session.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Store } from "../store/store.ts"
import type { UserRecord } from "../store/users.ts"
import type { Users } from "../users/users.ts"
import { type Actor, userActor } from "./actor.ts"
import type { Audit } from "./audit.ts"

/** Maximum accounts of a user, which is higher than any realistic number. */
const MAX_ACCOUNTS = 100_000

export interface SessionParts {
  readonly store: Store
  readonly users: Users
  readonly audit: Audit
  /** The public address without `/v1`. */
  readonly baseUrl: BaseUrl
  /** Returns the currency of card payments; undefined if cards are not accepted. */
  readonly cardCurrency: () => string | undefined
  /** Whether only operators see multipliers, providers and deployments. */
  readonly hidesCosts: () => boolean
}

/**
 * Returns callers and their permissions. These are read for each request, so that every change takes effect
 * immediately.
 */
export class Sessions {
  readonly #parts: SessionParts

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** Returns the user of these cookies; undefined without a session. */
  async actorOf(headers: Headers, address: string | null): Promise<Actor | undefined> {
    const session = await this.#parts.users.sessionOf(headers.get("cookie"))
    return session ? this.actorFor(session.user, address) : undefined
  }

  /** Returns a user with current roles. */
  async actorFor(user: UserRecord, address: string | null): Promise<Actor> {
    const { store, hidesCosts } = this.#parts
    const members = await store.members.list({ users: [user.id] }, null, MAX_ACCOUNTS)
    const roles = new Map<string, AccountRole>(members.map(({ account, role }) => [account, role]))
    const actor = userActor(user, roles, address)
    return { ...actor, hidesCosts: !actor.isOperator && hidesCosts() }
  }

  /** Describes the caller for the console. */
  async describe(actor: Actor): Promise<Session> {
    const { store, users, baseUrl, cardCurrency } = this.#parts
    const currency = cardCurrency()
    const user = actor.kind === "user" && actor.id !== null ? await users.find(actor.id) : null
    const accounts = await store.accounts.list([...actor.roles.keys()])
    return {
      user: user && {
        id: user.id,
        name: user.name,
        email: user.email,
        two_factor: user.hasTwoFactor,
        has_password: user.hasPassword,
      },
      is_operator: actor.isOperator,
      accounts: accounts.flatMap(({ id, name }) => {
        const role = actor.roles.get(id)
        return role === undefined ? [] : [{ id, name, role }]
      }),
      base_url: baseUrl(actor.origin),
      card_payments: currency !== undefined,
      card_currency: currency ?? null,
      shows_costs: actor.hidesCosts !== true,
    }
  }

  /** Changes the user's name. @throws GatewayError `forbidden` for the admin token. */
  async rename(actor: Actor, name: string): Promise<Session> {
    const { users, audit } = this.#parts
    const id = requireUser(actor)
    const before = await users.require(id)
    await users.change(id, { name })
    await audit.record(actor, {
      action: "user.change",
      target: id,
      before: { name: before.name },
      after: { name },
      about: { user: id },
    })
    return this.describe(actor)
  }

  /** Lists the user's open sessions, newest first. @throws GatewayError `forbidden` for the admin token. */
  async list(actor: Actor, headers: Headers): Promise<Page<OpenSession>> {
    const { users } = this.#parts
    const current = await users.sessionOf(headers.get("cookie"))
    const open = await users.sessions(requireUser(actor))
    const data = open.map((session) => ({
      id: session.id,
      current: session.id === current?.sessionId,
      created_at: new Date(session.createdAt).toISOString(),
      expires_at: new Date(session.expiresAt).toISOString(),
      address: session.address,
      agent: session.agent,
    }))
    return { object: "list", data, next_cursor: null }
  }

  /** Ends a session of the user. @throws GatewayError `not_found`. */
  async end(actor: Actor, id: string): Promise<void> {
    const { users, audit } = this.#parts
    if (!(await users.endSession(requireUser(actor), id))) {
      throw new GatewayError("not_found", `You have no session '${id.slice(0, 100)}'.`)
    }
    await audit.record(actor, { action: "session.end", target: id })
  }
}

/**
 * Requires a user.
 * @throws GatewayError `forbidden` for callers who are not users.
 */
export function requireUser(actor: Actor): string {
  if (actor.kind === "user" && actor.id !== null) return actor.id
  throw new GatewayError("forbidden", "Only a signed-in user has sessions and a password.")
}
