import { createHmac, timingSafeEqual } from "node:crypto"

/**
 * What a signed cookie holds; undefined when the signature is not ours. The form is better-auth's
 * (better-call 1.4, signed cookies): the value, a dot, and its HMAC-SHA-256 in base64, all percent-encoded.
 */
export function signedValue(cookie: string, secret: string): string | undefined {
  const text = decoded(cookie)
  const dot = text.lastIndexOf(".")
  if (dot < 1) return undefined
  const value = text.slice(0, dot)
  const signature = Buffer.from(text.slice(dot + 1))
  const expected = Buffer.from(createHmac("sha256", secret).update(value).digest("base64"))
  const isOurs = signature.length === expected.length && timingSafeEqual(signature, expected)
  return isOurs ? value : undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}
