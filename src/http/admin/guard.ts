import { GatewayError } from "../../canon/errors.ts"
import { looksLikeKey } from "../../keys/secret.ts"
import type { Actor } from "../../management/actor.ts"
import { isSameSecret } from "../../secrets/same-secret.ts"
import type { Connection } from "../server.ts"
import type { MinimumRole } from "#contract/route.ts"

/** Returns the user of a session cookie; undefined without a valid session. */
export type ActorOf = (headers: Headers, address: string | null) => Promise<Actor | undefined>

export interface GuardParts {
  readonly actorOf: ActorOf
  /** Returns the admin token. It is read for each request, because settings can change while the gateway runs. */
  readonly adminToken: () => string | undefined
  /** Returns additional origins of the console, for example behind a proxy. */
  readonly trustedOrigins: () => readonly string[]
}

const BEARER = /^bearer +/i
/** Header that the console sends with each request. Forms and links on other sites cannot send it. */
const CONSOLE_HEADER = "x-tollgate-console"
const READING = new Set(["GET", "HEAD"])

/** Authenticates requests to the management API and rejects cross-site requests. */
export class Guard {
  readonly #parts: GuardParts

  constructor(parts: GuardParts) {
    this.#parts = parts
  }

  /**
   * Authenticates a request by the admin token or a session.
   * @throws GatewayError `not_signed_in`; `forbidden` for a caller's key, for operator actions by other users, and for
   *   cross-site changes.
   */
  async admit(
    request: Request,
    minimumRole: MinimumRole,
    { address, origin }: Pick<Connection, "address" | "origin">,
  ): Promise<Actor | undefined> {
    const credential = credentialOf(request.headers)
    if (credential !== undefined && looksLikeKey(credential)) throw keyRejected()
    if (credential !== undefined && this.#isAdminToken(credential)) {
      return { ...adminActor(address), origin }
    }
    if (credential !== undefined && minimumRole !== "anyone") throw wrongToken()
    const actor = await this.#parts.actorOf(request.headers, address)
    if (actor === undefined && minimumRole !== "anyone") throw notSignedIn()
    if (!READING.has(request.method)) this.#rejectOtherSites(request, origin)
    if (minimumRole === "operator" && actor?.isOperator !== true) throw operatorsOnly()
    return actor && { ...actor, origin }
  }

  #isAdminToken(credential: string): boolean {
    const token = this.#parts.adminToken()
    return token !== undefined && token !== "" && isSameSecret(credential, token)
  }

  /**
   * Rejects changes that another site requested.
   * @param reached the origin of the request as reported by trusted proxies.
   */
  #rejectOtherSites({ headers }: Request, reached: string | undefined): void {
    const host = reached === undefined ? headers.get("host") : new URL(reached).host
    const site = headers.get("sec-fetch-site")
    const origin = headers.get("origin")
    const isOurs =
      headers.get(CONSOLE_HEADER) === "1" &&
      (site === null || site === "same-origin") &&
      (origin === null || this.#isOwnOrigin(origin, host))
    if (isOurs) return
    throw new GatewayError(
      "forbidden",
      `With a session, only the console can make changes: they need the header '${CONSOLE_HEADER}: 1' and this gateway's own origin. Programs send the admin token.`,
    )
  }

  #isOwnOrigin(origin: string, host: string | null): boolean {
    const url = URL.parse(origin)
    if (!url) return false
    const trusted = this.#parts.trustedOrigins()
    return url.host === host || trusted.some((one) => URL.parse(one)?.origin === url.origin)
  }
}

/**
 * Reads a credential. A caller's key in `x-api-key` is also read, so that the error names it instead of reporting a
 * missing credential.
 */
function credentialOf(headers: Headers): string | undefined {
  const authorization = headers.get("authorization")?.replace(BEARER, "").trim()
  return authorization || headers.get("x-api-key")?.trim() || undefined
}

function adminActor(address: string | null): Actor {
  return {
    kind: "admin_token",
    id: null,
    name: "admin token",
    isOperator: true,
    roles: new Map(),
    address,
  }
}

function keyRejected(): GatewayError {
  return new GatewayError(
    "forbidden",
    "A caller's key cannot manage the gateway. Sign in to the console, or send the admin token.",
  )
}

function wrongToken(): GatewayError {
  return new GatewayError(
    "not_signed_in",
    "The admin token is wrong or not configured. Set it in TOLLGATE_ADMIN_TOKEN where the gateway runs.",
    { headers: { "www-authenticate": 'Bearer error="invalid_token"' } },
  )
}

/** Builds the error for missing authentication. */
export function notSignedIn(): GatewayError {
  return new GatewayError(
    "not_signed_in",
    "You are not signed in. Sign in to the console, or send 'Authorization: Bearer <admin token>'.",
    { headers: { "www-authenticate": "Bearer" } },
  )
}

function operatorsOnly(): GatewayError {
  return new GatewayError("forbidden", "Only an operator of this gateway may do that.")
}
