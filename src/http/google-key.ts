import { succeed } from "./incoming-body.ts"
import type { Route } from "./server.ts"

/** The header in which Google's clients send their key. */
export const GOOGLE_KEY = "x-goog-api-key"
const PARAMETER = "key"

/** Whether a request comes with a key as Google's clients send it. */
export function hasGoogleKey({ headers, url }: Request): boolean {
  return headers.has(GOOGLE_KEY) || new URL(url).searchParams.has(PARAMETER)
}

/** A route to which keys in the address are keys in the headers. */
export function keyInHeaders(route: Route): Route {
  const { handler } = route
  return {
    ...route,
    handler: (request, connection, id) => handler(withoutKeyInUrl(request), connection, id),
  }
}

/**
 * The request with the key of its address in its headers instead: what is logged of an address
 * then holds no secret. A header takes precedence.
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

/** The headers of a request with the key of its address among them, where they have none of their own. */
export function headersWithKey({ headers, url }: Pick<Request, "headers" | "url">): Headers {
  const key = url.includes(`${PARAMETER}=`) ? new URL(url).searchParams.get(PARAMETER) : null
  if (key === null || headers.get(GOOGLE_KEY)) return headers
  const all = new Headers(headers)
  all.set(GOOGLE_KEY, key)
  return all
}
