import { MINUTE_MS } from "#contract/durations.ts"
import type { PasskeyResponse } from "#contract/passkeys.ts"
import type { SignInOptions } from "#contract/session.ts"
import { asGatewayError, GatewayError } from "../canon/errors.ts"
import type { OidcSettings } from "../config/sections/sign-in.ts"
import { randomText } from "../canon/random-text.ts"
import type { Store } from "../store/store.ts"
import type { ClientInfo } from "../users/client-info.ts"
import { type IssuerStart, linkHashOf, requireOidc } from "../users/issuers.ts"
import { supportsPasskeys } from "../users/passkeys.ts"
import type { SecondFactorInput } from "../users/second-factors.ts"
import type { Credentials, SignedIn } from "../users/sign-in.ts"
import type { OpenSession } from "../users/user-sessions.ts"
import type { UserRecord } from "../store/users.ts"
import type { NewUser, Users } from "../users/users.ts"
import { type Actor, userActor } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { FIRST_ACCOUNT } from "./first-account.ts"

/** The name of passkey sign-ins in the audit log. */
const PASSKEY = "passkey"

/** Maximum rejections that are recorded per minute, so that guessing cannot fill the disk. */
const MAX_REJECTIONS_PER_MINUTE = 20

export interface SignInDependencies {
  readonly store: Store
  readonly users: Users
  readonly audit: Audit
  readonly issuers: () => readonly OidcSettings[]
}

/** A person whose sign-in was rejected, with the name that was entered or with the sign-in method. */
type AttemptedName = Pick<Actor, "name" | "typed">

/** Handles every way to sign in, and records each attempt. */
export class SignInService {
  readonly #parts: SignInDependencies
  #rejections = 0
  #minute = 0

  constructor(parts: SignInDependencies) {
    this.#parts = parts
  }

  /**
   * Returns the available sign-in methods.
   * @param origin the origin of the console in the browser.
   */
  async options(origin: string): Promise<SignInOptions> {
    return {
      needs_setup: !(await this.#parts.users.hasOperator()),
      password: true,
      passkey: supportsPasskeys(origin),
      oidc: this.#parts.issuers().map(({ id, name }) => ({ id, name })),
    }
  }

  /**
   * Checks the token of the one-time link.
   * @throws GatewayError `forbidden` for a wrong token, `conflict` if an operator exists.
   */
  async checkSetUp(client: ClientInfo, token: string): Promise<void> {
    const takeBack = await this.#requireSetUp(client, token)
    await takeBack()
  }

  /**
   * Creates the first user, using the one-time link of the first start.
   * @throws GatewayError `forbidden` for a wrong token, `conflict` if an operator exists.
   */
  async setUp(client: ClientInfo, token: string, input: NewUser): Promise<UserRecord> {
    const { users, audit, store } = this.#parts
    const takeBack = await this.#requireSetUp(client, token)
    const user = await users.createFirst(input)
    users.setupToken.remove()
    await takeBack()
    const actor = userActor(user, new Map(), client.address)
    const after = { name: user.name, email: user.email, is_operator: true }
    const about = { user: user.id }
    await audit.record(actor, { action: "user.setup", target: user.id, after, about })
    // The user becomes an owner of the first account, so that the console is not empty.
    const account = await store.accounts.find(FIRST_ACCOUNT)
    if (!account) return user
    const role = "owner" as const
    const id = `mem_${randomText(16)}`
    const member = { id, account: account.id, user: user.id, role, joinedAt: Date.now() }
    const change = { action: "member.join", account: account.id, target: id, about }
    const joined = { user: user.id, email: user.email, role }
    await audit.perform(actor, { ...change, after: joined }, (record) =>
      store.members.add(member, record),
    )
    return user
  }

  /**
   * Validates the token of the one-time link, and counts an attempt.
   * @returns a function that reverts the count.
   */
  async #requireSetUp({ address }: ClientInfo, token: string): Promise<() => Promise<void>> {
    const { users } = this.#parts
    const takeBack = await users.beginAttempt("setup", address)
    const hasOperator = await users.hasOperator()
    if (hasOperator || !users.setupToken.isRight(token)) throw noSetup(hasOperator)
    return takeBack
  }

  /**
   * Signs in with a password.
   * @throws GatewayError `not_signed_in`, `forbidden`, `too_many_attempts`.
   */
  withPassword(client: ClientInfo, credentials: Credentials): Promise<SignedIn> {
    const { signIn } = this.#parts.users
    const { email } = credentials
    return this.#recording(client, { name: email, typed: { address: email } }, () =>
      signIn.withPassword(client, credentials),
    )
  }

  /**
   * Signs in with a passkey.
   * @throws GatewayError `not_signed_in`, `forbidden`, `too_many_attempts`.
   */
  withPasskey(
    client: ClientInfo,
    credential: PasskeyResponse,
    isRemembered: boolean,
  ): Promise<SignedIn> {
    const { passkeys } = this.#parts.users
    return this.#recording(client, { name: PASSKEY }, () =>
      passkeys.signIn(client, credential, isRemembered),
    )
  }

  /** Completes the second step of a sign-in. With a session, it completes the setup of a second factor. */
  async withCode(
    actor: Actor | undefined,
    client: ClientInfo,
    input: SecondFactorInput,
  ): Promise<SignedIn> {
    const { users, audit } = this.#parts
    const step = (): Promise<SignedIn> => users.signIn.withCode(client, input)
    if (actor === undefined) return this.#recording(client, { name: "second step" }, step)
    const done = await step()
    await audit.record(actor, { action: "user.two_factor", target: actor.id, after: { on: true } })
    return done
  }

  /**
   * Starts a sign-in at an issuer.
   * @throws GatewayError `not_found`, `upstream_error` if the issuer cannot be reached.
   */
  async toIssuer(
    client: ClientInfo,
    input: { readonly id: string; readonly origin: string; readonly returnTo: string },
  ): Promise<IssuerStart> {
    const issuer = requireOidc(this.#parts.issuers(), input.id)
    const { origin, returnTo } = input
    return this.#parts.users.issuers.toIssuer(client, { issuer, origin, returnTo })
  }

  /**
   * Handles the return from an issuer.
   * @returns the address that the browser continues at, with its session or an error to show.
   */
  async fromIssuer(
    client: ClientInfo,
    input: { readonly id: string; readonly query: string },
  ): Promise<{ readonly location: string; readonly cookies: readonly string[] }> {
    const issuers = this.#parts.issuers()
    const issuer = requireOidc(issuers, input.id)
    const trusted = issuers
      .filter(({ linkUsers }) => linkUsers === "verified_email")
      .map(({ id }) => id)
    const { query } = input
    const response = await this.#parts.users.issuers.fromIssuer(client, { issuer, trusted, query })
    if (response.linked) await this.#linked(client, response.linked, issuer.id, true)
    if (response.session) {
      await this.#recordSignIn(client, response.session, {
        way: issuer.id,
        linkHash: response.linkHash,
      })
    } else if (response.rejection)
      await this.#rejected(client, { name: issuer.name }, response.rejection)
    return response
  }

  async #recording(
    client: ClientInfo,
    attempted: AttemptedName,
    step: () => Promise<SignedIn>,
  ): Promise<SignedIn> {
    let done: SignedIn
    try {
      done = await step()
    } catch (thrown) {
      await this.#rejected(client, attempted, asGatewayError(thrown).kind)
      throw thrown
    }
    const way = attempted.name === PASSKEY ? PASSKEY : "password"
    if (done.session) {
      await this.#recordSignIn(client, done.session, { way, linkHash: linkHashOf(client) })
    }
    return done
  }

  async #recordSignIn(
    client: ClientInfo,
    session: OpenSession,
    { way, linkHash }: { readonly way: string; readonly linkHash: string | undefined },
  ): Promise<void> {
    const actor = userActor(session.user, new Map(), client.address)
    const change = { action: "session.begin", target: session.sessionId, after: { way } }
    const { audit, users } = this.#parts
    await audit.record(actor, change)
    const identity = await users.issuers.confirm(session.user, linkHash)
    if (identity) await this.#linked(client, session.user, identity.provider, false)
  }

  /**
   * Records that an issuer was linked.
   * @param isAlone whether all other ways to sign in were deleted.
   */
  async #linked(
    client: ClientInfo,
    user: UserRecord,
    issuer: string,
    isAlone: boolean,
  ): Promise<void> {
    const after = { issuer, ...(isAlone && { other_sign_ins_deleted: true }) }
    const change = { action: "user.link", target: user.id, after }
    await this.#parts.audit.record(userActor(user, new Map(), client.address), change)
  }

  /** Records the first rejections of each minute. More records would add no information. */
  async #rejected(
    { address }: ClientInfo,
    attempted: AttemptedName,
    reason: string,
  ): Promise<void> {
    const minute = Math.floor(Date.now() / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#rejections = 0
    }
    if (++this.#rejections > MAX_REJECTIONS_PER_MINUTE) return
    const actor: Actor = {
      kind: "user",
      id: null,
      ...attempted,
      name: attempted.name.slice(0, 200),
      isOperator: false,
      roles: new Map(),
      address,
    }
    await this.#parts.audit.record(actor, { action: "session.reject", after: { reason } })
  }
}

function noSetup(hasOperator: boolean): GatewayError {
  return hasOperator
    ? new GatewayError("conflict", "This gateway has an operator already. Sign in.")
    : new GatewayError(
        "forbidden",
        "This is not the latest link that the gateway printed. Restart it and use the new link.",
        { parameter: "token" },
      )
}
