/**
 * Returns a response with the headers that Bedrock sends, and with a header of the vendor that no gateway may pass on.
 */
export function vendorResponse(
  body: string | ReadableStream,
  contentType: "application/json" | "application/vnd.amazon.eventstream",
  status = 200,
): Response {
  const headers = {
    "content-type": contentType,
    "x-amzn-requestid": crypto.randomUUID(),
    "x-vendor-secret": "canary",
  }
  return new Response(body, { status, headers })
}
