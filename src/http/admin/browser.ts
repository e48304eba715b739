import { isLocalHost } from "../../database-address.ts"
import { basePathOf } from "../../management/base-url.ts"
import type { ClientInfo } from "../../users/client-info.ts"
import { jsonResponse } from "../responses.ts"
import type { AdminContext } from "./endpoint.ts"

/** Header with the token of the page on which a sign-in at an issuer was started. */
const LINK_HEADER = "x-tollgate-link-token"
/** Browsers only accept a cookie with this prefix over TLS and from the host itself, not from a sibling domain. */
const HOST_PREFIX = "__Host-"

/** Returns the properties of a request that sign-in needs. */
export function clientOf({
  request,
  address,
}: Pick<AdminContext, "request" | "address">): ClientInfo {
  const { headers } = request
  const linkToken = headers.get(LINK_HEADER)
  return { cookie: headers.get("cookie"), agent: headers.get("user-agent"), address, linkToken }
}

type Reached = Pick<AdminContext, "request" | "origin">

/**
 * Returns the gateway's origin as the browser sees it: the configured origin, otherwise the origin from trusted
 * proxies, otherwise the origin of the request.
 */
export function originOf({ request, origin }: Reached, publicUrl: string | undefined): string {
  return publicUrl ?? origin ?? new URL(request.url).origin
}

/** The scope of the cookies in a response. */
export interface CookieScope {
  /** Whether the cookies are sent over TLS only. */
  readonly isSecure: boolean
  /** Prefix of the cookies' paths, so that other programs on the host do not receive them. */
  readonly basePath: string
  /** Prefix of the cookies' names. */
  readonly prefix: "" | typeof HOST_PREFIX
}

/** Returns the scope for the cookies of a response. */
export function cookieScope(reached: Reached, publicUrl: string | undefined): CookieScope {
  const isTls = originOf(reached, publicUrl).startsWith("https:")
  const isSecure = isTls || (publicUrl === undefined && isForwardedOverTls(reached.request))
  const basePath = basePathOf(publicUrl)
  const isHostOnly = isSecure && basePath === "" && !isLocal(reached)
  return { isSecure, basePath, prefix: isHostOnly ? HOST_PREFIX : "" }
}

/**
 * Whether a request comes from a browser on the same machine without TLS, which may reject the cookie prefix. A proxy
 * that terminates TLS may send the same host. In that case, the page has another origin, or the browser has already
 * accepted the prefix.
 */
function isLocal({ request, origin }: Reached): boolean {
  const isProxied = origin !== undefined || isForwardedOverTls(request)
  if (isProxied || !isLocalHost(new URL(request.url).host)) return false
  const { headers } = request
  const page = URL.parse(headers.get("origin") ?? "")
  const hasPrefix = (headers.get("cookie") ?? "").includes(`${HOST_PREFIX}tollgate.`)
  return !hasPrefix && (page === null || isLocalHost(page.host))
}

/** Removes cookies outside of the scope from a request, and removes the prefix from the names of the other cookies. */
export function keepOwnCookies({ headers }: Request, { prefix }: CookieScope): void {
  const header = headers.get("cookie")
  if (header === null || prefix === "") return
  const pairs = header.split(";").map((pair) => pair.trim())
  const own = pairs.filter((pair) => pair.startsWith(prefix))
  headers.set("cookie", own.map((pair) => pair.slice(prefix.length)).join("; "))
}

type Context = Reached & Pick<AdminContext, "requestId">

/**
 * Builds a JSON response with cookies.
 * @param publicUrl the public address, if it differs from the listening address.
 */
export function cookieResponse(
  context: Context,
  body: unknown,
  cookies: readonly string[],
  publicUrl: string | undefined,
): Response {
  const response = jsonResponse(context.requestId, body)
  return withCookies(response, cookies, cookieScope(context, publicUrl))
}

/**
 * Redirects the browser and sets cookies.
 * @param location the path without the base path.
 */
export function redirectResponse(
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

/**
 * Whether a proxy reports TLS. Untrusted proxies are also accepted, because a forged header only restricts the sender's
 * own cookies to TLS.
 */
function isForwardedOverTls(request: Request): boolean {
  return request.headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https"
}
