import { isLocalHost } from "../../database-address.ts"
import { basePathOf } from "../../management/base-url.ts"
import type { ClientInfo } from "../../users/client-info.ts"
import { jsonAnswer } from "../answers.ts"
import type { AdminContext } from "./endpoint.ts"

/** The token of the page that began a sign-in at an issuer. */
const LINK_HEADER = "x-tollgate-link-token"
/** Browsers take a cookie of this name only from the host itself: not by a plain connection, not from a sibling. */
const HOST_PREFIX = "__Host-"

/** What signing in needs of a request. */
export function clientOf({
  request,
  address,
}: Pick<AdminContext, "request" | "address">): ClientInfo {
  const { headers } = request
  const linkToken = headers.get(LINK_HEADER)
  return { cookie: headers.get("cookie"), agent: headers.get("user-agent"), address, linkToken }
}

type Reached = Pick<AdminContext, "request" | "origin">

/** Where the browser reaches this gateway: what the operator says, else trusted proxies, else the request itself. */
export function originOf({ request, origin }: Reached, publicUrl: string | undefined): string {
  return publicUrl ?? origin ?? new URL(request.url).origin
}

/** How far cookies of an answer reach. */
export interface CookieScope {
  /** Whether they travel by TLS alone. */
  readonly isSecure: boolean
  /** Before all paths that get them: other programs on the same host do not. */
  readonly basePath: string
  /** Before the name of each cookie. */
  readonly prefix: "" | typeof HOST_PREFIX
}

/** How far cookies of this answer reach. */
export function cookieScope(reached: Reached, publicUrl: string | undefined): CookieScope {
  const isTls = originOf(reached, publicUrl).startsWith("https:")
  const isSecure = isTls || (publicUrl === undefined && saysTls(reached.request))
  const basePath = basePathOf(publicUrl)
  const isHostOnly = isSecure && basePath === "" && !isLocal(reached)
  return { isSecure, basePath, prefix: isHostOnly ? HOST_PREFIX : "" }
}

/**
 * Whether an operator on the machine itself connects without TLS; browsers may reject the cookie prefix then. A proxy
 * that ends TLS may send the same host. In that case the page has another origin, or the browser has already accepted
 * the prefix.
 */
function isLocal({ request, origin }: Reached): boolean {
  const isProxied = origin !== undefined || saysTls(request)
  if (isProxied || !isLocalHost(new URL(request.url).host)) return false
  const { headers } = request
  const page = URL.parse(headers.get("origin") ?? "")
  const hasPrefix = (headers.get("cookie") ?? "").includes(`${HOST_PREFIX}tollgate.`)
  return !hasPrefix && (page === null || isLocalHost(page.host))
}

/** Leaves a request the cookies that were set with this scope, named without the prefix. */
export function keepOwnCookies({ headers }: Request, { prefix }: CookieScope): void {
  const header = headers.get("cookie")
  if (header === null || prefix === "") return
  const pairs = header.split(";").map((pair) => pair.trim())
  const own = pairs.filter((pair) => pair.startsWith(prefix))
  headers.set("cookie", own.map((pair) => pair.slice(prefix.length)).join("; "))
}

/** An answer with cookies. */
export function cookieAnswer(
  requestId: string,
  body: unknown,
  { cookies, scope }: { readonly cookies: readonly string[]; readonly scope: CookieScope },
): Response {
  return withCookies(jsonAnswer(requestId, body), cookies, scope)
}

/**
 * Sends the browser on, with cookies.
 * @param location without the base path.
 */
export function redirectAnswer(
  location: string,
  { cookies, scope }: { readonly cookies: readonly string[]; readonly scope: CookieScope },
): Response {
  const headers = { location: `${scope.basePath}${location}` }
  return withCookies(new Response(null, { status: 302, headers }), cookies, scope)
}

function withCookies(
  response: Response,
  cookies: readonly string[],
  { isSecure, basePath, prefix }: CookieScope,
): Response {
  for (const cookie of cookies) {
    const scoped = cookie.replace("; Path=/;", `; Path=${basePath}/;`)
    response.headers.append("set-cookie", isSecure ? `${prefix}${scoped}; Secure` : scoped)
  }
  return response
}

/** Also believed of a proxy that is not trusted: who pretends it only makes their own cookies travel by TLS. */
function saysTls(request: Request): boolean {
  return request.headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https"
}
