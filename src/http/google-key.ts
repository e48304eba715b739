import { succeed } from "./incoming-body.ts"
import type { Route } from "./server.ts"

/** The header with the key in requests from Google's clients. */
export const GOOGLE_KEY = "x-goog-api-key"
const PARAMETER = "key"

/** Whether a request contains a key in the way that Google's clients send it. */
export function hasGoogleKey({ headers, url }: Request): boolean {
  return headers.has(GOOGLE_KEY) || new URL(url).searchParams.has(PARAMETER)
}

/** Wraps a route so that it accepts keys in the URL like keys in headers. */
export function keyInHeaders(route: Route): Route {
  const { handler } = route
  return {
    ...route,
    handler: (request, connection, id) => handler(withoutKeyInUrl(request), connection, id),
  }
}

/**
 * Moves a key from the URL to the headers, so that a logged URL contains no secret. A key in the headers takes
 * precedence.
 */
function withoutKeyInUrl(request: Request): Request {
  if (!request.url.includes(`${PARAMETER}=`)) return request
  const url = new URL(request.url)
  const key = url.searchParams.get(PARAMETER)
  if (key === null) return request
  url.searchParams.delete(PARAMETER)
  const headers = headersWithKey(request)
  const { method, body, signal } = request
  return succeed(request, new Request(url.href, { method, headers, signal, body }))
}

/** Returns the headers of a request. If they contain no key, the key in the URL is added. */
export function headersWithKey({ headers, url }: Pick<Request, "headers" | "url">): Headers {
  const key = url.includes(`${PARAMETER}=`) ? new URL(url).searchParams.get(PARAMETER) : null
  if (key === null || headers.get(GOOGLE_KEY)) return headers
  const all = new Headers(headers)
  all.set(GOOGLE_KEY, key)
  return all
}
