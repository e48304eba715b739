/**
 * `thoughtSignature` holds bytes: Google's clients decode it from base64, and encode it again. An envelope of the
 * gateway's is text, so it travels as base64 too.
 */

/** How an envelope begins, and the same in base64. */
const ENVELOPE = "tg1:"
const ENCODED_ENVELOPE = Buffer.from(ENVELOPE).toString("base64").slice(0, 5)

/** A signature as clients can carry it. */
export function wireSignature(signature: string): string {
  return signature.startsWith(ENVELOPE) ? Buffer.from(signature).toString("base64") : signature
}

/** What a client brings back. */
export function carriedSignature(text: string): string {
  if (!text.startsWith(ENCODED_ENVELOPE)) return text
  // Python's client encodes bytes with the alphabet of addresses; both are read.
  const decoded = Buffer.from(text, "base64").toString()
  return decoded.startsWith(ENVELOPE) ? decoded : text
}
