/**
 * `thoughtSignature` holds bytes: Google's clients decode it from base64 and encode it back. The gateway's
 * envelope is text, so it is sent as base64, too.
 */

/** The prefix of an envelope, and its base64. */
const ENVELOPE = "tg1:"
const ENCODED_ENVELOPE = Buffer.from(ENVELOPE).toString("base64").slice(0, 5)

/** A signature in a form that clients preserve. */
export function wireSignature(signature: string): string {
  return signature.startsWith(ENVELOPE) ? Buffer.from(signature).toString("base64") : signature
}

/** A signature that a client sends back. */
export function carriedSignature(text: string): string {
  if (!text.startsWith(ENCODED_ENVELOPE)) return text
  // Python's client uses the URL-safe alphabet; both are accepted.
  const decoded = Buffer.from(text, "base64").toString()
  return decoded.startsWith(ENVELOPE) ? decoded : text
}
