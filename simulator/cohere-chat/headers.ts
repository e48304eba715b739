import { hexadecimal } from "../identifiers.ts"

// Headers as recorded, with a header of the vendor that no gateway may pass on.
const COMMON = {
  "access-control-expose-headers": "X-Debug-Trace-ID",
  "cache-control": "no-cache, no-store, no-transform, must-revalidate, private, max-age=0",
  expires: "Thu, 01 Jan 1970 00:00:00 GMT",
  pragma: "no-cache",
  server: "envoy",
  vary: "Origin,Accept-Encoding",
  via: "1.1 google",
  "x-accel-expires": "0",
  "x-endpoint-monthly-call-limit": "1000",
  "x-envoy-upstream-service-time": "12",
  "x-trial-endpoint-call-limit": "20",
  "x-trial-endpoint-call-remaining": "19",
  "x-vendor-secret": "canary",
}

// Headers that are copied for each response. Copying is four times cheaper than building them from a plain object.
const HEADERS = {
  json: new Headers({ ...COMMON, "content-type": "application/json" }),
  stream: new Headers({ ...COMMON, "content-type": "text/event-stream" }),
}

/** Returns a response with the headers that Cohere sends, and a new `x-debug-trace-id`. */
export function vendorResponse(
  body: string | ReadableStream,
  kind: keyof typeof HEADERS,
  status = 200,
): Response {
  const response = new Response(body, { status, headers: HEADERS[kind] })
  response.headers.set("x-debug-trace-id", hexadecimal(32))
  return response
}
