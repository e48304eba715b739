import { randomUUID, timingSafeEqual } from "node:crypto"
import { GatewayError } from "../canon/errors.ts"
import type { OidcSettings } from "../config/sections/sign-in.ts"
import type { ConsoleStore } from "../store/console-store.ts"
import type { Identity, UserRecord } from "../store/users.ts"
import type { AttemptLimits } from "./attempt-limits.ts"
import type { ClientInfo } from "./client-info.ts"
import { cookieNamed, expireCookie, setCookie, STATE_COOKIE } from "./cookies.ts"
import { describeIssuer, type IssuerDescription } from "./issuer.ts"
import type { Claims, OidcSecrets } from "./oidc.ts"
import type { SignedIn, SignIn } from "./sign-in.ts"
import { hashToken, newToken } from "./tokens.ts"
import type { UserSessions } from "./user-sessions.ts"

const FLOW_LIFETIME_SECONDS = 10 * 60
const METADATA_CACHE_MS = 10 * 60_000

export interface IssuersParts {
  readonly store: ConsoleStore
  readonly limits: AttemptLimits
  readonly sessions: UserSessions
  readonly signIn: Pick<SignIn, "afterFirstFactor">
  /** Whether an email address is invited. New users are only created if it is. */
  readonly isInvited: (email: string) => Promise<boolean>
  /** Reports a failure to the operator. */
  readonly onFailure: (message: string) => void
}

/** The data that is stored while the browser is at the issuer. */
interface PendingFlow extends OidcSecrets {
  readonly issuer: string
  readonly redirectUri: string
  readonly returnTo: string
  /** Hash of the link token of the page on which the flow was started. */
  readonly linkHash: string
}

/** A completed flow that has returned an identity. */
interface FinishedFlow extends Pick<CallbackInput, "trusted"> {
  readonly flow: PendingFlow
  readonly settings: OidcSettings
  readonly claims: Claims
}

interface FoundUser {
  readonly user: UserRecord
  /** Whether this sign-in has linked the issuer to an existing user. */
  readonly isLinked: boolean
}

interface CallbackInput {
  readonly issuer: OidcSettings
  /** The issuers whose verified email addresses the operator trusts. */
  readonly trusted: readonly string[]
  readonly query: string
}

/** The result of the callback, which is a session, a challenge for the second factor, or the reason for a rejection. */
export interface IssuerReturn extends SignedIn {
  /** The page of the console to redirect to. */
  readonly location: string
  readonly rejection: string | null
  /** Hash of the link token of the page on which the flow was started. */
  readonly linkHash?: string
  /** The user whom the callback linked to the issuer. */
  readonly linked?: UserRecord
}

/** The redirect to the issuer. */
export interface IssuerStart {
  readonly url: string
  readonly cookies: readonly string[]
  /**
   * The token that the same page sends again when its user signs in with a known method. This proves that the identity
   * belongs to the user.
   */
  readonly linkToken: string
}

/** Signs users in through OpenID Connect. */
export class Issuers {
  readonly #parts: IssuersParts
  readonly #descriptions = new Map<
    string,
    { readonly description: IssuerDescription; readonly at: number }
  >()

  constructor(parts: IssuersParts) {
    this.#parts = parts
  }

  /**
   * Starts a sign-in.
   * @param origin the public origin of the console.
   * @param returnTo the page of the console to return to.
   * @throws GatewayError `upstream_error` if the issuer cannot be reached.
   */
  async toIssuer(
    client: ClientInfo,
    input: { readonly issuer: OidcSettings; readonly origin: string; readonly returnTo: string },
  ): Promise<IssuerStart> {
    const { issuer: settings, origin, returnTo } = input
    await this.#parts.limits.beginFrom("oidc", client.address)
    const description = await this.#describe(settings)
    const { authorizationUrl, newSecrets } = await import("./oidc.ts")
    const secrets = newSecrets()
    const redirectUri = `${origin}/admin/v1/auth/callback/${settings.id}`
    const state = newToken()
    // All flows of a page share one token, so that signing in at a known issuer can confirm an identity at another.
    const linkToken = client.linkToken ?? newToken()
    const linkHash = hashToken("identity", linkToken)
    const flow: PendingFlow = { ...secrets, issuer: settings.id, redirectUri, returnTo, linkHash }
    await this.#parts.store.proofs.create({
      kind: "oidc",
      hash: hashToken("oidc", state),
      user: null,
      value: JSON.stringify(flow),
      expiresAt: Date.now() + FLOW_LIFETIME_SECONDS * 1_000,
    })
    const url = await authorizationUrl({ settings, description, redirectUri }, state, secrets)
    return { url, cookies: [setCookie(STATE_COOKIE, state, FLOW_LIFETIME_SECONDS)], linkToken }
  }

  /**
   * Handles the callback. The browser is loading a page, so errors are shown on that page.
   * @param query the query of the callback's address, with the question mark.
   */
  async fromIssuer(client: ClientInfo, input: CallbackInput): Promise<IssuerReturn> {
    try {
      return await this.#response(client, input)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      if (error.kind === "upstream_error") this.#parts.onFailure(error.message)
      return rejected(error.kind)
    }
  }

  async #response(client: ClientInfo, input: CallbackInput): Promise<IssuerReturn> {
    const { issuer: settings, trusted } = input
    const query = new URLSearchParams(input.query)
    const takeBack = await this.#parts.limits.beginFrom("oidc", client.address)
    const flow = await this.#takeFlow(client, query)
    // Without this check, the code and the verifier of one issuer could be sent to another issuer.
    if (flow?.issuer !== settings.id) return rejected("state_mismatch")
    const { claimsOf, IssuerRejection } = await import("./oidc.ts")
    const description = await this.#describe(settings)
    const { redirectUri } = flow
    try {
      const claims = await claimsOf({ settings, description, redirectUri }, query, flow)
      const response = await this.#signIn(client, { flow, settings, trusted, claims })
      // Reverts the counts of both redirects, because an entire office may share one address.
      if (response.rejection === null)
        for (let attempt = 0; attempt < 2; attempt++) await takeBack()
      return response
    } catch (error) {
      if (!(error instanceof IssuerRejection)) throw error
      const { cause } = error
      const reason = cause instanceof Error ? cause.message : String(cause)
      this.#parts.onFailure(`${settings.name}: ${error.code}: ${reason}`)
      return rejected(error.code)
    }
  }

  /** Deletes and returns the flow that this browser has started. */
  async #takeFlow(client: ClientInfo, query: URLSearchParams): Promise<PendingFlow | undefined> {
    const state = query.get("state")
    const own = cookieNamed(client.cookie, STATE_COOKIE)
    if (!state || own === undefined) return undefined
    const hash = hashToken("oidc", state)
    if (!timingSafeEqual(Buffer.from(hash), Buffer.from(hashToken("oidc", own)))) return undefined
    const proof = await this.#parts.store.proofs.take("oidc", hash, Date.now())
    return proof ? (JSON.parse(proof.value) as PendingFlow) : undefined
  }

  async #signIn(client: ClientInfo, finished: FinishedFlow): Promise<IssuerReturn> {
    const { flow, settings } = finished
    const found = await this.#userOf(finished)
    if (typeof found === "string") return rejected(found)
    if ("unconfirmed" in found) return await this.#askToConfirm(found.unconfirmed, finished)
    const { user, isLinked } = found
    if (user.isDisabled) return rejected("disabled")
    const { signIn, sessions } = this.#parts
    const input = { isRemembered: true }
    const { session, cookies } =
      settings.secondFactor === "issuer"
        ? await sessions.open(user, client, input)
        : await signIn.afterFirstFactor(user, client, input)
    return {
      session,
      cookies: [...cookies, expireCookie(STATE_COOKIE)],
      location: session ? flow.returnTo : codePage(flow.returnTo),
      rejection: null,
      linkHash: flow.linkHash,
      ...(isLinked && { linked: user }),
    }
  }

  /**
   * Stores the identity until the user confirms it. For this, the user must sign in with a known method from the page
   * on which the flow was started.
   */
  async #askToConfirm(
    user: UserRecord,
    { flow, settings, claims }: FinishedFlow,
  ): Promise<IssuerReturn> {
    const identity: Identity = { provider: settings.id, subject: claims.subject }
    const { proofs } = this.#parts.store
    const { linkHash: hash } = flow
    // Only the latest identity of the page counts.
    await proofs.take("identity", hash, 0)
    await proofs.create({
      kind: "identity",
      hash,
      user: user.id,
      value: JSON.stringify(identity),
      expiresAt: Date.now() + FLOW_LIFETIME_SECONDS * 1_000,
    })
    return rejected("account_not_linked")
  }

  /**
   * Links the identity that a user has confirmed by signing in. A cookie would not prove this, because another host of
   * the domain could set one in order to link its own identity to the user.
   * @param hash the hash of the link token that came with the sign-in; undefined without a token.
   * @returns the identity, or undefined if there is none or if it belongs to another user.
   */
  async confirm(user: UserRecord, hash: string | undefined): Promise<Identity | undefined> {
    if (hash === undefined) return undefined
    const { proofs, users } = this.#parts.store
    const found = await proofs.find("identity", hash, Date.now())
    if (found?.user !== user.id || !(await proofs.take("identity", hash, Date.now()))) {
      return undefined
    }
    const identity = JSON.parse(found.value) as Identity
    await users.link(user.id, identity, Date.now())
    return identity
  }

  /**
   * Returns the user of a known identity. For an unknown identity with a verified email address, returns the user with
   * that address, who may have to confirm the identity. If no user has the address but it is invited, creates a user.
   * Another person may have created the user with that address. Linking by address alone therefore deletes all other
   * ways to sign in as that user.
   * @returns the user, or the reason why there is none.
   */
  async #userOf({
    settings: { id: provider, linkUsers },
    trusted,
    claims,
  }: FinishedFlow): Promise<FoundUser | { readonly unconfirmed: UserRecord } | string> {
    const { users } = this.#parts.store
    const { subject, email, isEmailVerified, name } = claims
    if (email === undefined) return "email_not_found"
    const identity = { provider, subject }
    const known = await users.findByIdentity(identity)
    if (known) return { user: known, isLinked: false }
    const namesake = await users.findByEmail(email)
    if (!isEmailVerified) return "email_not_verified"
    if (namesake?.isDisabled) return "disabled"
    if (namesake && linkUsers === "confirmed") return { unconfirmed: namesake }
    if (namesake) await users.linkAlone(namesake.id, identity, Date.now(), trusted)
    else if (await this.#parts.isInvited(email)) {
      const id = `user_${randomUUID().replaceAll("-", "")}`
      const isFirst = false
      const createdAt = Date.now()
      const input = { id, name, email, passwordHash: null, identity, isFirst, createdAt }
      await users.create(input)
    } else return "not_invited"
    const user = await users.findByIdentity(identity)
    return user ? { user, isLinked: namesake !== null } : "account_not_linked"
  }

  async #describe(settings: OidcSettings): Promise<IssuerDescription> {
    const { issuer } = settings
    const known = this.#descriptions.get(issuer)
    if (known && Math.abs(Date.now() - known.at) < METADATA_CACHE_MS) return known.description
    const description = await describeIssuer(settings)
    this.#descriptions.set(issuer, { description, at: Date.now() })
    return description
  }
}

/** Returns the hash of the link token of a request; undefined without a token. */
export function linkHashOf({ linkToken }: ClientInfo): string | undefined {
  return linkToken ? hashToken("identity", linkToken) : undefined
}

/**
 * Returns the address of the sign-in page at its second step.
 * @param returnTo the page of the console that opens afterwards.
 */
function codePage(returnTo: string): string {
  const back = returnTo.replace(/^\/console/, "")
  return `/console/sign-in?step=code&back=${encodeURIComponent(back)}`
}

function rejected(code: string): IssuerReturn {
  const location = `/console/sign-in?error=${encodeURIComponent(code)}`
  return { session: null, cookies: [expireCookie(STATE_COOKIE)], location, rejection: code }
}

/**
 * Returns the settings of an issuer.
 * @throws GatewayError `not_found`, which lists the configured issuers.
 */
export function requireOidc(issuers: readonly OidcSettings[], id: string): OidcSettings {
  const issuer = issuers.find((candidate) => candidate.id === id)
  if (issuer) return issuer
  const known = issuers.map((candidate) => candidate.id).join(", ")
  const hint = known === "" ? "no issuer is configured" : `there are: ${known}`
  throw new GatewayError("not_found", `There is no issuer '${id.slice(0, 100)}': ${hint}.`, {
    parameter: "provider",
  })
}
