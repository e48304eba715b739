import { GatewayError } from "../canon/errors.ts"
import { withoutKeys } from "../canon/key-shapes.ts"
import { suggestion } from "../config/nearest.ts"
import { errorResponse } from "./responses.ts"
import { GOOGLE_KEY } from "./google-key.ts"
import { succeed } from "./incoming-body.ts"
import { intendedAddress } from "./intended-address.ts"
import { newRequestId } from "./request-id.ts"
import { isOpenEnded } from "./path-pattern.ts"
import { RouteTable } from "./route-table.ts"
import type { Handler, Mount, Route } from "./server.ts"
import { withModel } from "./with-model.ts"

/** A header that Anthropic's clients always send, and an endpoint with their error format. */
const ANTHROPIC = { header: "anthropic-version", path: "/v1/messages" }
/** A header that Google's clients always send, and the paths that only they use. */
const GOOGLE = {
  header: GOOGLE_KEY,
  path: "/v1beta/models/{id...}",
  below: /^(?:\/upload)?\/v1(?:beta|alpha)/,
}
/** Maximum length of a URL that is compared, or repeated in an error. */
const MAX_PATH_LENGTH = 200

/** The path of `server.public_url`, under which all paths are also served. Some proxies forward the full path. */
export interface BasePathParts {
  readonly mounts: readonly Mount[]
  /** Returns the base path; empty without one. */
  readonly basePath: () => string
}

/**
 * Creates the handler of requests that no route matches. If an address can only mean one endpoint, that endpoint
 * handles the request. All other requests get 404 or 405 with suggestions, in the caller's dialect.
 */
export function fallback(
  routes: readonly Route[],
  { mounts, basePath }: BasePathParts = { mounts: [], basePath: () => "" },
): Handler {
  const table = new RouteTable(routes)
  return function handle(request, connection) {
    const url = new URL(request.url)
    const base = basePath()
    if (base !== "" && (url.pathname === base || url.pathname.startsWith(`${base}/`))) {
      url.pathname = url.pathname.slice(base.length) || "/"
      const mount = mounts.find(({ path }) => isBelow(url.pathname, path))
      if (mount) {
        if (mount.isLong) connection.waitShort(true)
        return mount.handler(new Request(url.href, request), connection)
      }
    }
    const intended = intendedAddress(url.pathname, (path) => table.has(path))
    const found = intended && table.find(request.method, intended.path)
    if (intended === undefined || found === undefined) return unknown(request, url.pathname, routes)
    if ("allowed" in found) return wrongMethod(request, intended.path, found.allowed)
    const { route } = found
    url.pathname = intended.path
    if (intended.model !== undefined && isPlainJson(request.headers)) {
      const named = succeed(request, withModel(request, url.href, intended.model))
      return route.handler(named, connection)
    }
    // Only routes with an open-ended path read the URL of the request. All other routes get the original request with
    // its body.
    const addressed = isOpenEnded(route.path)
      ? succeed(request, new Request(url.href, request))
      : request
    return route.handler(addressed, connection)
  }
}

/** Whether a path belongs to a mount such as `/docs` or `/console/*`. */
function isBelow(pathname: string, path: string): boolean {
  return path.endsWith("/*") ? pathname.startsWith(path.slice(0, -1)) : pathname === path
}

/** Whether a body is JSON to which members can be added. */
function isPlainJson(headers: Headers): boolean {
  return !headers.has("content-encoding") && /json/i.test(headers.get("content-type") ?? "")
}

function wrongMethod(
  request: Request,
  path: string,
  allowed: readonly [Route, ...Route[]],
): Response {
  const [{ errors }] = allowed
  if (request.headers.has("upgrade")) return errors(noUpgrade(path), newRequestId(), request)
  const allow = allowed.map((route) => route.method).join(", ")
  const error = new GatewayError(
    "method_not_allowed",
    `${withoutKeys(path.slice(0, MAX_PATH_LENGTH))} accepts ${allow}, not ${request.method}.`,
    { headers: { allow } },
  )
  return errors(error, newRequestId(), request)
}

/**
 * Builds the error for WebSocket requests. Status 426 makes clients that prefer a WebSocket (Codex) switch to HTTP
 * immediately.
 */
function noUpgrade(path: string): GatewayError {
  return new GatewayError(
    "upgrade_not_supported",
    `${path.slice(0, MAX_PATH_LENGTH)} is served by plain HTTP, not by web sockets. Send the request with POST.`,
    { headers: { upgrade: "HTTP/1.1", connection: "Upgrade" } },
  )
}

function unknown(request: Request, pathname: string, routes: readonly Route[]): Response {
  const path = pathname.slice(0, MAX_PATH_LENGTH)
  const paths = routes.map((route) => route.path).filter((one) => !isOpenEnded(one))
  const error = new GatewayError(
    "not_found",
    `Not found: ${request.method} ${withoutKeys(path)}.${suggestion(path, paths)}`,
  )
  const spoken = readablePath(request, pathname)
  const like = routes.find((route) => route.path === spoken)
  return (like?.errors ?? errorResponse)(error, newRequestId(), request)
}

/** Returns an endpoint with the caller's error format; undefined for the general format. */
function readablePath({ headers }: Request, pathname: string): string | undefined {
  if (headers.has(ANTHROPIC.header)) return ANTHROPIC.path
  return headers.has(GOOGLE.header) || GOOGLE.below.test(pathname) ? GOOGLE.path : undefined
}
