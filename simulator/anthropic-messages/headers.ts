import { base62 } from "../identifiers.ts"

// Headers as recorded, with a cookie and a header of the vendor that no gateway may pass on.
const COMMON = {
  "anthropic-organization-id": "00000000-0000-4000-8000-000000000000",
  "anthropic-ratelimit-input-tokens-limit": "2000000",
  "anthropic-ratelimit-input-tokens-remaining": "1999000",
  "anthropic-ratelimit-input-tokens-reset": "2026-11-01T12:00:00Z",
  "anthropic-ratelimit-output-tokens-limit": "400000",
  "anthropic-ratelimit-output-tokens-remaining": "400000",
  "anthropic-ratelimit-output-tokens-reset": "2026-11-01T12:00:00Z",
  "anthropic-ratelimit-requests-limit": "4000",
  "anthropic-ratelimit-requests-remaining": "3999",
  "anthropic-ratelimit-requests-reset": "2026-11-01T12:00:00Z",
  "anthropic-ratelimit-tokens-limit": "2400000",
  "anthropic-ratelimit-tokens-remaining": "2399000",
  "anthropic-ratelimit-tokens-reset": "2026-11-01T12:00:00Z",
  "set-cookie": "_cfuvid=simulated; path=/; HttpOnly; Secure; SameSite=None",
  "x-vendor-secret": "canary",
}

// Headers that are copied for each response, because copying is cheaper than building them from a plain object.
const HEADERS = {
  json: new Headers({ ...COMMON, "content-type": "application/json" }),
  stream: new Headers({
    ...COMMON,
    "cache-control": "no-cache",
    "content-type": "text/event-stream; charset=utf-8",
  }),
}

/** Returns a new id of a request. */
export function requestId(): string {
  return `req_01${base62(22)}`
}

/** Returns a response with the headers that Anthropic sends (docs/contribute/wire/anthropic-messages.md#f15). */
export function vendorResponse(
  body: string | ReadableStream,
  kind: keyof typeof HEADERS,
  status = 200,
  id = requestId(),
): Response {
  const response = new Response(body, { status, headers: HEADERS[kind] })
  response.headers.set("request-id", id)
  return response
}
