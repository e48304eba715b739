export const SESSION_COOKIE = "tollgate.session_token"
/** Connects the password step to the code step. */
export const CHALLENGE_COOKIE = "tollgate.two_factor"
/** Marks a browser that needs no code. */
export const TRUST_COOKIE = "tollgate.trust_device"
/** Connects a passkey challenge to its response. */
export const PASSKEY_COOKIE = "tollgate.passkey"
/** Connects the console to an issuer. */
export const STATE_COOKIE = "tollgate.state"

/**
 * Formats a `set-cookie` value that is hidden from scripts and not sent with other sites' forms.
 * The HTTP layer adds `Secure` and the prefix of the name.
 * @param maxAge in seconds; without it, the cookie ends with the browser.
 */
export function setCookie(name: string, value: string, maxAge?: number): string {
  const age = maxAge === undefined ? "" : `; Max-Age=${maxAge}`
  return `${name}=${value}${age}; Path=/; HttpOnly; SameSite=Lax`
}

/** Formats a `set-cookie` value that deletes a cookie. */
export function expireCookie(name: string): string {
  return setCookie(name, "", 0)
}

/**
 * Returns the value of a cookie in a request's header; undefined if it is missing, empty or
 * ambiguous. Another host of the same domain can set a cookie of the same name, and the two cannot
 * be distinguished.
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
