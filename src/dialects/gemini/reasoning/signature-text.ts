/**
 * A `thoughtSignature` contains bytes. Google's clients decode it from base64 and encode it again. The gateway's own
 * envelope is text, so it is sent as base64 too.
 */

/** The prefix of an envelope, and its base64. */
const ENVELOPE = "tg1:"
const ENCODED_ENVELOPE = Buffer.from(ENVELOPE).toString("base64").slice(0, 5)

/** Returns a signature in a form that clients preserve. */
export function wireSignature(signature: string): string {
  return signature.startsWith(ENVELOPE) ? Buffer.from(signature).toString("base64") : signature
}

/** Returns the signature that a client sends back. */
export function carriedSignature(text: string): string {
  if (!text.startsWith(ENCODED_ENVELOPE)) return text
  // Google's Python client uses the URL-safe alphabet of base64. Both alphabets are decoded.
  const decoded = Buffer.from(text, "base64").toString()
  return decoded.startsWith(ENVELOPE) ? decoded : text
}
