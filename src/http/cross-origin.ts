import { KeyOrigins } from "../keys/key-origins.ts"
import type { Keyring } from "../keys/keyring.ts"
import { headersWithKey } from "./google-key.ts"
import type { Handler, Route } from "./server.ts"

/** Seconds for which a browser need not ask again: more is not believed. */
const MAX_AGE = "7200"
/** What a preflight may name; anything else is no list of headers. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]{1,4000}$/
/** Response headers that pages may read, besides those that they always may. */
const EXPOSED = [
  "x-request-id",
  "request-id",
  "x-should-retry",
  "retry-after",
  "idempotent-replayed",
  ...["cost", "balance", "losses", "max-tokens", "provider", "also-charged"].map(
    (name) => `x-tollgate-${name}`,
  ),
  ...["limit", "remaining", "reset"].flatMap((name) => [
    `x-ratelimit-${name}-requests`,
    `x-ratelimit-${name}-tokens`,
  ]),
].join(", ")

/** The origins whose pages may read: those of the settings, for every key, and those of a key, for that key. */
export interface PageOrigins {
  /** Such as `https://app.example.com`, or `*`; undefined: none. */
  readonly ofSettings: () => readonly string[] | undefined
  readonly keyring: Pick<Keyring, "known" | "latestOrigins" | "origins">
}

/**
 * Lets pages of some origins read answers (CORS, in the Fetch standard). Never with credentials: a key is sent by the page
 * itself, so that no page spends what a browser keeps for another one.
 */
export class CrossOrigin {
  readonly #ofSettings: PageOrigins["ofSettings"]
  readonly #keyring: PageOrigins["keyring"]

  constructor({ ofSettings, keyring }: PageOrigins) {
    this.#ofSettings = ofSettings
    this.#keyring = keyring
  }

  /** The same routes, whose answers such pages may read. */
  routes(routes: readonly Route[]): Route[] {
    return routes.map((route) => ({ ...route, handler: this.readable(route.handler) }))
  }

  /** A handler whose answers such pages may read. */
  readable(handler: Handler): Handler {
    return (request, connection, id) => {
      // Taken before the handler has the request: a body that is read takes nothing from these.
      const { headers, method } = request
      const origin = headers.get("origin")
      if (origin !== null) {
        const { url } = request
        const answer = handler(request, connection, id)
        return this.#readableBy(origin, { headers, method, url }, answer)
      }
      const answer = handler(request, connection, id)
      return method === "POST" || !this.#isOn() ? answer : varied(answer)
    }
  }

  /** Answers what browsers ask before they send what a page wants; the rest is the handler's. */
  asked(handler: Handler): Handler {
    const readable = this.readable(handler)
    return async (request, connection, id) => {
      const { method, headers } = request
      const origin = headers.get("origin")
      const isAsking = method === "OPTIONS" && headers.has("access-control-request-method")
      if (!isAsking || origin === null) return readable(request, connection, id)
      const allowed =
        allowedBy(this.#ofSettings(), origin) ??
        allowedBy(await this.#keyring.latestOrigins(), origin)
      return allowed === undefined ? handler(request, connection, id) : preflight(headers, allowed)
    }
  }

  #isOn(): boolean {
    return this.#ofSettings() !== undefined || !this.#keyring.origins.isEmpty
  }

  async #readableBy(
    origin: string,
    asking: Pick<Request, "headers" | "method" | "url">,
    answering: Response | Promise<Response>,
  ): Promise<Response> {
    // The key is looked up behind the handler: who has just made it is known by then.
    const answer = await answering
    const allowed = allowedBy(this.#ofSettings(), origin) ?? this.#allowedByKey(origin, asking)
    if (allowed !== undefined) {
      answer.headers.set("access-control-allow-origin", allowed)
      answer.headers.set("access-control-expose-headers", EXPOSED)
    }
    const isKept = asking.method !== "POST" && this.#isOn()
    return isKept || (allowed !== undefined && allowed !== "*") ? varied(answer) : answer
  }

  /** The response to a request without a valid key holds no one's data, so the page may read what is wrong. */
  #allowedByKey(origin: string, asking: Pick<Request, "headers" | "url">): string | undefined {
    if (this.#keyring.origins.isEmpty) return undefined
    const key = this.#keyring.known(headersWithKey(asking))
    return allowedBy(key === undefined ? this.#keyring.origins : key.origins, origin)
  }
}

/** What `access-control-allow-origin` says; undefined when pages of an origin may not read. */
function allowedBy(
  origins: readonly string[] | KeyOrigins | undefined,
  origin: string,
): string | undefined {
  if (origins === undefined) return undefined
  const has = (one: string): boolean =>
    origins instanceof KeyOrigins ? origins.has(one) : origins.includes(one)
  if (has("*")) return "*"
  return has(origin) ? origin : undefined
}

/** A browser that keeps an answer for one page does not take it for another's. */
async function varied(answering: Response | Promise<Response>): Promise<Response> {
  const answer = await answering
  answer.headers.append("vary", "origin")
  return answer
}

function preflight(asking: Headers, origin: string): Response {
  const headers: Record<string, string> = {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, HEAD, POST, DELETE",
    "access-control-max-age": MAX_AGE,
    vary: "origin, access-control-request-headers",
  }
  const names = asking.get("access-control-request-headers")
  if (names !== null && HEADER_NAMES.test(names)) headers["access-control-allow-headers"] = names
  return new Response(null, { status: 204, headers })
}
