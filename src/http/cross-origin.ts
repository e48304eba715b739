import { KeyOrigins } from "../keys/key-origins.ts"
import type { Keyring } from "../keys/keyring.ts"
import { headersWithKey } from "./google-key.ts"
import type { Handler, Route } from "./server.ts"

/** Seconds for which browsers cache a preflight response. Browsers ignore higher values. */
const MAX_AGE = "7200"
/** Matches a list of header names in a preflight request. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]{1,4000}$/
/** Response headers that pages may read in addition to the default headers. */
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

/**
 * The origins whose pages may read responses. Origins in the settings apply to all keys, and origins of a key only to
 * that key.
 */
export interface PageOrigins {
  /** Origins such as `https://app.example.com`, or `*`; undefined if not configured. */
  readonly ofSettings: () => readonly string[] | undefined
  readonly keyring: Pick<Keyring, "known" | "latestOrigins" | "origins">
}

/**
 * Allows pages of the permitted origins to read responses (CORS in the Fetch standard). Credentials are never allowed.
 * The page itself sends the key, so no page can use a key that the browser stores for another page.
 */
export class CrossOrigin {
  readonly #ofSettings: PageOrigins["ofSettings"]
  readonly #keyring: PageOrigins["keyring"]

  constructor({ ofSettings, keyring }: PageOrigins) {
    this.#ofSettings = ofSettings
    this.#keyring = keyring
  }

  /** Wraps routes, so that allowed pages may read their responses. */
  routes(routes: readonly Route[]): Route[] {
    return routes.map((route) => ({ ...route, handler: this.readable(route.handler) }))
  }

  /** Wraps a handler, so that allowed pages may read its responses. */
  readable(handler: Handler): Handler {
    return (request, connection, id) => {
      // Read before the handler receives the request, because it may consume the body.
      const { headers, method } = request
      const origin = headers.get("origin")
      if (origin !== null) {
        const { url } = request
        const response = handler(request, connection, id)
        return this.#readableBy(origin, { headers, method, url }, response)
      }
      const response = handler(request, connection, id)
      return method === "POST" || !this.#isOn() ? response : varied(response)
    }
  }

  /** Wraps a handler, and responds to preflight requests in its place. All other requests go to the handler. */
  withPreflight(handler: Handler): Handler {
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
    request: Pick<Request, "headers" | "method" | "url">,
    answering: Response | Promise<Response>,
  ): Promise<Response> {
    // The key is looked up after the handler has run, so that a newly created key is found.
    const response = await answering
    const allowed = allowedBy(this.#ofSettings(), origin) ?? this.#allowedByKey(origin, request)
    if (allowed !== undefined) {
      response.headers.set("access-control-allow-origin", allowed)
      response.headers.set("access-control-expose-headers", EXPOSED)
    }
    const isKept = request.method !== "POST" && this.#isOn()
    return isKept || (allowed !== undefined && allowed !== "*") ? varied(response) : response
  }

  /**
   * Checks the origins of the key. Without a valid key, the response contains no private data. The origins of all keys
   * then apply, so that the page can read the error.
   */
  #allowedByKey(origin: string, request: Pick<Request, "headers" | "url">): string | undefined {
    if (this.#keyring.origins.isEmpty) return undefined
    const key = this.#keyring.known(headersWithKey(request))
    return allowedBy(key === undefined ? this.#keyring.origins : key.origins, origin)
  }
}

/** Returns the value of `access-control-allow-origin`; undefined if pages of the origin may not read the response. */
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

/** Prevents a browser from reusing a response cached for another page. */
async function varied(answering: Response | Promise<Response>): Promise<Response> {
  const response = await answering
  response.headers.append("vary", "origin")
  return response
}

function preflight(requestHeaders: Headers, origin: string): Response {
  const headers: Record<string, string> = {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, HEAD, POST, DELETE",
    "access-control-max-age": MAX_AGE,
    vary: "origin, access-control-request-headers",
  }
  const names = requestHeaders.get("access-control-request-headers")
  if (names !== null && HEADER_NAMES.test(names)) headers["access-control-allow-headers"] = names
  return new Response(null, { status: 204, headers })
}
