import { createHash } from "node:crypto"
import { GatewayError } from "../canon/errors.ts"
import type { OidcSettings } from "../config/sign-in-settings.ts"
import { type Attempts, PER_ADDRESS, PER_USER } from "./failed-attempts.ts"
import { type Call, callAuth, type Reply, type ClientInfo } from "./auth-calls.ts"
import type { AuthServers } from "./auth-servers.ts"
import { cookieNamed, SESSION_COOKIE, TWO_FACTOR_COOKIE } from "./cookies.ts"
import type { Passwords } from "./passwords.ts"

export interface Credentials {
  /** In lowercase. */
  readonly email: string
  readonly password: string
  /** Whether the session outlives the browser. */
  readonly remember: boolean
}

export interface SecondFactorInput {
  readonly kind: "totp" | "backup-code"
  readonly code: string
  /** Whether this browser is asked for no code for 30 days. */
  readonly trustDevice: boolean
}

/** What is to be shown once, when a second factor is set up. */
export interface TwoFactorSetup {
  readonly uri: string
  readonly secret: string
  readonly backupCodes: readonly string[]
  readonly cookies: readonly string[]
}

/** The ways in, and what people do with their own passwords. Every attempt counts against its limits. */
export class SignIn {
  readonly #servers: AuthServers
  readonly #attempts: Attempts
  readonly #passwords: Passwords

  constructor(parts: {
    readonly servers: AuthServers
    readonly attempts: Attempts
    readonly passwords: Passwords
  }) {
    this.#servers = parts.servers
    this.#attempts = parts.attempts
    this.#passwords = parts.passwords
  }

  /**
   * @returns the reply, and whether a code is needed before there is a session.
   * @throws GatewayError `not_signed_in`, `too_many_attempts`, `forbidden` for a disabled user.
   */
  async withPassword(
    client: ClientInfo,
    { email, password, remember }: Credentials,
  ): Promise<{ readonly reply: Reply; readonly needsCode: boolean }> {
    const reply = await this.#attempt(client, `user:${digest(email)}`, {
      path: "/sign-in/email",
      body: { email, password, rememberMe: remember },
    })
    return { reply, needsCode: reply.body["twoFactorRedirect"] === true }
  }

  /**
   * The second step of signing in; with a session, the last step of setting a second factor up.
   * @throws GatewayError `invalid_value` for a wrong code, `not_signed_in` when its time is over.
   */
  withCode(client: ClientInfo, { kind, code, trustDevice }: SecondFactorInput): Promise<Reply> {
    return this.#attempt(client, codeKey(client), {
      path: `/two-factor/verify-${kind}`,
      body: { code: code.replaceAll(" ", ""), trustDevice },
    })
  }

  /** Begins to set a second factor up. It is in use once a code of it was sent. */
  async beginTwoFactor(client: ClientInfo, password: string): Promise<TwoFactorSetup> {
    const { body, cookies } = await this.#withOwnPassword(client, "enable", password)
    const uri = String(body["totpURI"])
    const secret = new URL(uri).searchParams.get("secret") ?? ""
    return { uri, secret, backupCodes: textsOf(body["backupCodes"]), cookies }
  }

  endTwoFactor(client: ClientInfo, password: string): Promise<Reply> {
    return this.#withOwnPassword(client, "disable", password)
  }

  /** New backup codes; the old ones are worth nothing from now on. */
  async newBackupCodes(client: ClientInfo, password: string): Promise<readonly string[]> {
    const { body } = await this.#withOwnPassword(client, "generate-backup-codes", password)
    return textsOf(body["backupCodes"])
  }

  /** All other sessions of the user end. */
  changePassword(client: ClientInfo, current: string, next: string): Promise<Reply> {
    return this.#attempt(client, sessionKey(client), {
      path: "/change-password",
      body: { currentPassword: current, newPassword: next, revokeOtherSessions: true },
      passwordField: "current_password",
    })
  }

  /** By a link that an operator made. All sessions of the user end. @throws GatewayError `forbidden`. */
  resetPassword(client: ClientInfo, token: string, next: string): Promise<Reply> {
    return this.#attempt(client, `reset:${digest(token)}`, {
      path: "/reset-password",
      body: { token, newPassword: next },
    })
  }

  async signOut(client: ClientInfo): Promise<readonly string[]> {
    const call = { method: "POST", path: "/sign-out", body: {} } as const
    return (await callAuth(await this.#servers.forPasswords(), client, call)).cookies
  }

  /**
   * Where the browser goes to sign in at an issuer.
   * @param origin where people reach the console.
   * @param returnTo a path of the console.
   */
  async toIssuer(
    client: ClientInfo,
    input: { readonly issuer: OidcSettings; readonly origin: string; readonly returnTo: string },
  ): Promise<{ readonly url: string; readonly cookies: readonly string[] }> {
    const { issuer, origin, returnTo } = input
    this.#attempts.begin([{ key: `oidc:${addressOf(client)}`, limit: PER_ADDRESS }])
    const { body, cookies } = await callAuth(
      await this.#servers.forIssuer(issuer, origin),
      client,
      {
        method: "POST",
        path: "/sign-in/social",
        body: {
          provider: issuer.id,
          callbackURL: returnTo,
          errorCallbackURL: "/console/sign-in",
          disableRedirect: true,
        },
      },
    )
    return { url: String(body["url"]), cookies }
  }

  /** The way back. @param query as the issuer gave it, with its question mark. */
  async fromIssuer(
    client: ClientInfo,
    input: { readonly issuer: OidcSettings; readonly origin: string; readonly query: string },
  ): Promise<Reply> {
    const { issuer, origin, query } = input
    this.#attempts.begin([{ key: `oidc:${addressOf(client)}`, limit: PER_ADDRESS }])
    const server = await this.#servers.forIssuer(issuer, origin)
    return callAuth(server, client, { method: "GET", path: `/callback/${issuer.id}${query}` })
  }

  #withOwnPassword(client: ClientInfo, step: string, password: string): Promise<Reply> {
    const call = { path: `/two-factor/${step}`, body: { password } }
    return this.#attempt(client, sessionKey(client), call)
  }

  async #attempt(client: ClientInfo, key: string, call: Omit<Call, "method">): Promise<Reply> {
    const takeBack = this.#attempts.begin([
      { key: `address:${addressOf(client)}`, limit: PER_ADDRESS },
      { key, limit: PER_USER },
    ])
    this.#passwords.requireRoom()
    const server = await this.#servers.forPasswords()
    const reply = await callAuth(server, client, { ...call, method: "POST" })
    takeBack()
    return reply
  }
}

/** @throws GatewayError `not_found`, naming those there are. */
export function requireOidc(issuers: readonly OidcSettings[], id: string): OidcSettings {
  const issuer = issuers.find((candidate) => candidate.id === id)
  if (issuer) return issuer
  const known = issuers.map((candidate) => candidate.id).join(", ")
  const hint = known === "" ? "none is set up" : `there are: ${known}`
  throw new GatewayError("not_found", `There is no issuer '${id.slice(0, 100)}': ${hint}.`, {
    parameter: "provider",
  })
}

function addressOf(client: ClientInfo): string {
  return client.address ?? "unknown"
}

function sessionKey(client: ClientInfo): string {
  return `session:${digest(cookieNamed(client.cookie, SESSION_COOKIE) ?? "")}`
}

/** Of the step before, when there is one; else someone sets their second factor up. */
function codeKey(client: ClientInfo): string {
  const step = cookieNamed(client.cookie, TWO_FACTOR_COOKIE)
  return step === undefined ? sessionKey(client) : `code:${digest(step)}`
}

/** Keys are kept in a file: what they are made of is not. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22)
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
