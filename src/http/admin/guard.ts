import { GatewayError } from "../../canon/errors.ts"
import { looksLikeKey } from "../../keys/secret.ts"
import type { Actor } from "../../management/actor.ts"
import { isSameSecret } from "../../secrets/same-secret.ts"
import type { Connection } from "../server.ts"
import type { MinimumRole } from "#contract/route.ts"

/** Who stands behind a session's cookie; undefined for no one. */
export type ActorOf = (headers: Headers, address: string | null) => Promise<Actor | undefined>

export interface GuardParts {
  readonly actorOf: ActorOf
  /** Read at each request: settings change while the gateway runs. */
  readonly adminToken: () => string | undefined
  /** Addresses from which the console is used besides the one that it is asked at, as behind a proxy. */
  readonly trustedOrigins: () => readonly string[]
}

const BEARER = /^bearer +/i
/** What the console sends with each request, and no form or link of another site can. */
const CONSOLE_HEADER = "x-tollgate-console"
const READING = new Set(["GET", "HEAD"])

/** Authenticates requests to the management API, and refuses those that other sites make a browser send. */
export class Guard {
  readonly #parts: GuardParts

  constructor(parts: GuardParts) {
    this.#parts = parts
  }

  /**
   * Who sends the request: the admin token, or a user by their session.
   * @throws GatewayError `not_signed_in`; `forbidden` for a caller's key, for what is the operator's,
   * and for changes that another site asks.
   */
  async admit(
    request: Request,
    minimumRole: MinimumRole,
    { address, origin }: Pick<Connection, "address" | "origin">,
  ): Promise<Actor | undefined> {
    const credential = credentialOf(request.headers)
    if (credential !== undefined && looksLikeKey(credential)) throw keyRefused()
    if (credential !== undefined && this.#isAdminToken(credential)) {
      return { ...adminActor(address), origin }
    }
    if (credential !== undefined && minimumRole !== "anyone") throw wrongToken()
    const actor = await this.#parts.actorOf(request.headers, address)
    if (actor === undefined && minimumRole !== "anyone") throw notSignedIn()
    if (!READING.has(request.method)) this.#refuseOtherSites(request, origin)
    if (minimumRole === "operator" && actor?.isOperator !== true) throw operatorsOnly()
    return actor && { ...actor, origin }
  }

  #isAdminToken(credential: string): boolean {
    const token = this.#parts.adminToken()
    return token !== undefined && token !== "" && isSameSecret(credential, token)
  }

  /** @param reached where trusted proxies say that the request was sent to. */
  #refuseOtherSites({ headers }: Request, reached: string | undefined): void {
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
      `With a session, changes are only taken from the console itself: they need the header '${CONSOLE_HEADER}: 1' and this gateway's own origin. Programs send the admin token.`,
    )
  }

  #isOwnOrigin(origin: string, host: string | null): boolean {
    const asked = URL.parse(origin)
    if (!asked) return false
    const trusted = this.#parts.trustedOrigins()
    return asked.host === host || trusted.some((one) => URL.parse(one)?.origin === asked.origin)
  }
}

/** Both get the same length, so that the comparison reveals nothing about the token's length. */

/** Callers' clients also send `x-api-key`, which is not the same as no credential at all. */
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

function keyRefused(): GatewayError {
  return new GatewayError(
    "forbidden",
    "A caller's key cannot manage the gateway. Sign in to the console, or send the admin token.",
  )
}

function wrongToken(): GatewayError {
  return new GatewayError(
    "not_signed_in",
    "The admin token is wrong, or none is set: it is TOLLGATE_ADMIN_TOKEN where the gateway runs.",
    { headers: { "www-authenticate": 'Bearer error="invalid_token"' } },
  )
}

/** No one is signed in. */
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
