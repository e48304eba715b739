import type { Handler, Route } from "./server.ts"

/** Seconds for which a browser need not ask again: more is not believed. */
const MAX_AGE = "7200"
/** What a preflight may name; anything else is no list of headers. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]{1,4000}$/
/** Headers of answers that pages may read beside those that they always may. */
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
 * Lets pages of some origins read answers (CORS, in the Fetch standard). Never with credentials: a key is sent by the page
 * itself, so that no page spends what a browser keeps for another one.
 */
export class CrossOrigin {
  readonly #origins: () => readonly string[] | undefined

  /** @param origins such as `https://app.example.com`, or `*`; undefined: none. */
  constructor(origins: () => readonly string[] | undefined) {
    this.#origins = origins
  }

  /** The same routes, whose answers such pages may read. */
  routes(routes: readonly Route[]): Route[] {
    return routes.map((route) => ({ ...route, handler: this.readable(route.handler) }))
  }

  /** A handler whose answers such pages may read. */
  readable(handler: Handler): Handler {
    return (request, waitLong, id) => {
      const origins = this.#origins()
      const origin = origins && allowed(request, origins)
      const answer = handler(request, waitLong, id)
      return origin === undefined ? answer : readableBy(origin, answer)
    }
  }

  /** Answers what browsers ask before they send what a page wants; the rest is the handler's. */
  asked(handler: Handler): Handler {
    const readable = this.readable(handler)
    return (request, waitLong, id) => {
      const { method, headers } = request
      if (method !== "OPTIONS" || !headers.has("access-control-request-method")) {
        return readable(request, waitLong, id)
      }
      const origin = allowed(request, this.#origins() ?? [])
      return origin === undefined ? handler(request, waitLong, id) : preflight(headers, origin)
    }
  }
}

/** The origin that an answer is for; undefined when no page may read it. */
function allowed({ headers }: Request, origins: readonly string[]): string | undefined {
  const origin = headers.get("origin")
  if (origin === null) return undefined
  if (origins.includes("*")) return "*"
  return origins.includes(origin) ? origin : undefined
}

async function readableBy(
  origin: string,
  answering: Response | Promise<Response>,
): Promise<Response> {
  const answer = await answering
  answer.headers.set("access-control-allow-origin", origin)
  answer.headers.set("access-control-expose-headers", EXPOSED)
  if (origin !== "*") answer.headers.append("vary", "origin")
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
