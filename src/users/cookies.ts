export const SESSION_COOKIE = "tollgate.session_token"
/** Between the password and the code. */
export const CHALLENGE_COOKIE = "tollgate.two_factor"
/** Of a browser that needs no code. */
export const TRUST_COOKIE = "tollgate.trust_device"
/** Between what a passkey has to sign and its answer. */
export const PASSKEY_COOKIE = "tollgate.passkey"
/** Between the console and an issuer. */
export const STATE_COOKIE = "tollgate.state"

/**
 * A `set-cookie` value, hidden from scripts and not sent with other sites' forms. The HTTP layer adds `Secure` and
 * the prefix of the name.
 * @param maxAge seconds; without it the cookie ends with the browser.
 */
export function setCookie(name: string, value: string, maxAge?: number): string {
  const age = maxAge === undefined ? "" : `; Max-Age=${maxAge}`
  return `${name}=${value}${age}; Path=/; HttpOnly; SameSite=Lax`
}

/** A `set-cookie` value that deletes a cookie. */
export function expireCookie(name: string): string {
  return setCookie(name, "", 0)
}

/**
 * The value of a cookie in a request's header; undefined if it is missing, empty or ambiguous. Another host of
 * the same domain can add a cookie of this name, and nothing tells which of the two is ours.
 */
export function cookieNamed(header: string | null, name: string): string | undefined {
  const values = new Set<string>()
  for (const part of (header ?? "").split(";")) {
    const [key = "", ...rest] = part.split("=")
    const value = rest.join("=").trim()
    if (key.trim() === name && value !== "") values.add(value)
  }
  const [value] = values
  return values.size === 1 ? value : undefined
}
