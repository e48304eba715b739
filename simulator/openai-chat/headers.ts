import { hexadecimal } from "../identifiers.ts"

// Headers as recorded, with a cookie and a header of the vendor that no gateway may pass on.
const COMMON = {
  "openai-organization": "simulated-organization",
  "openai-processing-ms": "12",
  "openai-version": "2020-10-01",
  "x-ratelimit-limit-requests": "10000",
  "x-ratelimit-limit-tokens": "2000000",
  "x-ratelimit-remaining-requests": "9999",
  "x-ratelimit-remaining-tokens": "1999976",
  "x-ratelimit-reset-requests": "6ms",
  "x-ratelimit-reset-tokens": "0s",
  "set-cookie": "__cf_bm=simulated; path=/; HttpOnly; Secure; SameSite=None",
  "x-vendor-secret": "canary",
}

// Headers that are copied for each response. Copying is four times cheaper than building them from a plain object.
const HEADERS = {
  json: new Headers({ ...COMMON, "content-type": "application/json" }),
  error: new Headers({ ...COMMON, "content-type": "application/json; charset=utf-8" }),
  stream: new Headers({ ...COMMON, "content-type": "text/event-stream; charset=utf-8" }),
}

/**
 * Returns a response with the headers that OpenAI sends (docs/contribute/wire/openai-chat.md#f11) and a new
 * `x-request-id`.
 */
export function vendorResponse(
  body: string | ReadableStream,
  kind: keyof typeof HEADERS,
  status = 200,
): Response {
  const response = new Response(body, { status, headers: HEADERS[kind] })
  response.headers.set("x-request-id", `req_${hexadecimal(32)}`)
  return response
}
