import type { SignInOptions } from "tollgate-contract/session.ts"
import { asGatewayError, GatewayError } from "../canon/errors.ts"
import type { OidcSettings } from "../config/sign-in-settings.ts"
import { randomText } from "../canon/random-text.ts"
import type { Store } from "../store/store.ts"
import type { ClientInfo } from "../users/auth-calls.ts"
import { cookiesAfter, opensSession } from "../users/cookies.ts"
import { type SecondFactorInput, type Credentials, requireOidc } from "../users/sign-in.ts"
import type { NewUser, UserRecord } from "../users/user-records.ts"
import type { Users } from "../users/users.ts"
import type { Actor } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { FIRST_ACCOUNT } from "./first-account.ts"
import { userActor } from "./user-actor.ts"

/** Refusals that are recorded: a guesser must not fill the disk. */
const REFUSALS_PER_MINUTE = 20
const MINUTE = 60_000

export interface SignInDependencies {
  readonly store: Store
  readonly users: Users
  readonly audit: Audit
  readonly issuers: () => readonly OidcSettings[]
}

/** What a way in answers: cookies for the browser, and whether a code is needed first. */
export interface WayIn {
  readonly cookies: readonly string[]
  readonly needsCode: boolean
}

/** Where people come in: every way to a session, each recorded. */
export class SignInService {
  readonly #parts: SignInDependencies
  #refusals = 0
  #minute = 0

  constructor(parts: SignInDependencies) {
    this.#parts = parts
  }

  options(): SignInOptions {
    return {
      needs_setup: !this.#parts.users.hasOperator(),
      password: true,
      passkey: false,
      oidc: this.#parts.issuers().map(({ id, name }) => ({ id, name })),
    }
  }

  /**
   * Makes the first user, by the one-time link of the start.
   * @throws GatewayError `forbidden` for a wrong token, `conflict` when there is an operator.
   */
  async setUp(client: ClientInfo, token: string, input: NewUser): Promise<UserRecord> {
    const { users, audit, store } = this.#parts
    const takeBack = users.beginAttempt("setup", client.address)
    if (users.hasOperator() || !users.setupToken.isRight(token)) throw noSetup(users.hasOperator())
    const user = await users.createFirst(input)
    users.setupToken.remove()
    takeBack()
    const actor = userActor(user, new Map(), client.address)
    const after = { name: user.name, email: user.email, is_operator: true }
    await audit.record(actor, { action: "user.setup", target: user.id, after })
    // So that they see something.
    const account = await store.accounts.find(FIRST_ACCOUNT)
    if (!account) return user
    const role = "owner" as const
    const id = `mem_${randomText(16)}`
    const member = { id, account: account.id, user: user.id, role, joinedAt: Date.now() }
    const change = { action: "member.join", account: account.id, target: id }
    const joined = { user: user.id, email: user.email, role }
    await audit.perform(actor, { ...change, after: joined }, (record) =>
      store.members.add(member, record),
    )
    return user
  }

  /** @throws GatewayError `not_signed_in`, `forbidden`, `too_many_attempts`. */
  async withPassword(client: ClientInfo, credentials: Credentials): Promise<WayIn> {
    const { users } = this.#parts
    return this.#recording(client, credentials.email, async () => {
      const { reply, needsCode } = await users.signIn.withPassword(client, credentials)
      return { cookies: reply.cookies, needsCode }
    })
  }

  /** The second step; with a session, the last step of setting a second factor up. */
  async withCode(
    actor: Actor | undefined,
    client: ClientInfo,
    input: SecondFactorInput,
  ): Promise<WayIn> {
    const { users, audit } = this.#parts
    const step = async (): Promise<WayIn> => {
      const { cookies } = await users.signIn.withCode(client, input)
      return { cookies, needsCode: false }
    }
    if (actor === undefined) return this.#recording(client, "second step", step)
    const done = await step()
    await audit.record(actor, { action: "user.two_factor", target: actor.id, after: { on: true } })
    return done
  }

  /** @throws GatewayError `not_found`, `upstream_error` when the issuer cannot be reached. */
  async toIssuer(
    client: ClientInfo,
    input: { readonly id: string; readonly origin: string; readonly returnTo: string },
  ): Promise<{ readonly url: string; readonly cookies: readonly string[] }> {
    const issuer = requireOidc(this.#parts.issuers(), input.id)
    const { origin, returnTo } = input
    return this.#parts.users.signIn.toIssuer(client, { issuer, origin, returnTo })
  }

  /** The way back. @returns where the browser goes now, with its session or with an error to show. */
  async fromIssuer(
    client: ClientInfo,
    input: { readonly id: string; readonly origin: string; readonly query: string },
  ): Promise<{ readonly location: string; readonly cookies: readonly string[] }> {
    const issuer = requireOidc(this.#parts.issuers(), input.id)
    const { origin, query } = input
    const reply = await this.#parts.users.signIn.fromIssuer(client, { issuer, origin, query })
    const location = reply.location ?? "/console/"
    const reason = new URL(location, origin).searchParams.get("error")
    if (opensSession(reply.cookies)) await this.#begun(client, reply.cookies, issuer.id)
    else await this.#refused(client, issuer.name, reason ?? "no session")
    return { location: landing(location, origin, reason), cookies: reply.cookies }
  }

  async #recording(client: ClientInfo, name: string, step: () => Promise<WayIn>): Promise<WayIn> {
    let way: WayIn
    try {
      way = await step()
    } catch (thrown) {
      await this.#refused(client, name, asGatewayError(thrown).kind)
      throw thrown
    }
    if (opensSession(way.cookies)) await this.#begun(client, way.cookies, "password")
    return way
  }

  async #begun(client: ClientInfo, cookies: readonly string[], way: string): Promise<void> {
    const { users, audit } = this.#parts
    const session = await users.sessionOf(cookiesAfter(client.cookie, cookies))
    if (!session) return
    const actor = userActor(session.user, new Map(), client.address)
    await audit.record(actor, {
      action: "session.begin",
      target: session.sessionId,
      after: { way },
    })
  }

  /** The first of each minute; a flood of them tells nothing more. */
  async #refused({ address }: ClientInfo, name: string, reason: string): Promise<void> {
    const minute = Math.floor(Date.now() / MINUTE)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#refusals = 0
    }
    if (++this.#refusals > REFUSALS_PER_MINUTE) return
    const actor: Actor = {
      kind: "user",
      id: null,
      name: name.slice(0, 200),
      isOperator: false,
      roles: new Map(),
      address,
    }
    await this.#parts.audit.record(actor, { action: "session.refuse", after: { reason } })
  }
}

/** Every failure ends on our own page, whatever better-auth's would be. */
function landing(location: string, origin: string, reason: string | null): string {
  if (reason !== null) return `/console/sign-in?error=${encodeURIComponent(reason)}`
  const { pathname, search, origin: own } = new URL(location, origin)
  return own === new URL(origin).origin ? pathname + search : "/console/"
}

function noSetup(hasOperator: boolean): GatewayError {
  return hasOperator
    ? new GatewayError("conflict", "This gateway has an operator already. Sign in.")
    : new GatewayError(
        "forbidden",
        "This link is not the one that the gateway printed last. Start it again, and take its link.",
        { parameter: "token" },
      )
}
