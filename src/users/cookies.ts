export const SESSION_COOKIE = "tollgate.session_token"
/** The cookie that connects the password step to the code step. */
export const CHALLENGE_COOKIE = "tollgate.two_factor"
/** The cookie that marks a browser that needs no code. */
export const TRUST_COOKIE = "tollgate.trust_device"
/** The cookie that connects a passkey challenge to its response. */
export const PASSKEY_COOKIE = "tollgate.passkey"
/** The cookie that connects a sign-in at an issuer to the browser that started it. */
export const STATE_COOKIE = "tollgate.state"

/**
 * Formats a `set-cookie` value. The cookie is hidden from scripts and not sent with forms of other sites. The HTTP
 * layer adds `Secure` and the prefix of the name.
 * @param maxAge seconds; if absent, the cookie ends when the browser is closed.
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
 * Returns the value of a cookie in a request's header; undefined if it is missing, empty or ambiguous. Another host of
 * the same domain can set a cookie of the same name. The two cookies could not be distinguished.
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
