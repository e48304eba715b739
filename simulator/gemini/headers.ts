// Headers as recorded, with a header of the vendor that no gateway may pass on.
const COMMON = {
  "alt-svc": 'h3=":443"; ma=2592000,h3-29=":443"; ma=2592000',
  server: "scaffolding on HTTPServer2",
  "server-timing": "gfet4t7; dur=12",
  vary: "Origin, X-Origin, Referer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  "x-gemini-service-tier": "standard",
  "x-vendor-secret": "canary",
  "x-xss-protection": "0",
}

// Headers that are copied for each response. Copying is four times cheaper than building them from a plain object.
const HEADERS = {
  json: new Headers({ ...COMMON, "content-type": "application/json; charset=UTF-8" }),
  stream: new Headers({
    ...COMMON,
    "content-disposition": "attachment",
    "content-type": "text/event-stream",
  }),
}

/** Returns a response with the headers that Google sends. */
export function vendorResponse(
  body: string | ReadableStream,
  kind: keyof typeof HEADERS,
  status = 200,
): Response {
  return new Response(body, { status, headers: HEADERS[kind] })
}
