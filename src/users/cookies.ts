/** The names of better-auth's cookies, as we have it write them. */
export const COOKIE_PREFIX = "tollgate"
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token`
/** Between the password and the code. */
export const TWO_FACTOR_COOKIE = `${COOKIE_PREFIX}.two_factor`

/** How better-auth is told where a request comes from. */
export const ADDRESS_HEADER = "x-tollgate-address"

/** The value of a cookie in a request's header; undefined when it is not there. */
export function cookieNamed(header: string | null, name: string): string | undefined {
  for (const part of (header ?? "").split(";")) {
    const [key = "", ...value] = part.split("=")
    if (key.trim() === name) return value.join("=").trim()
  }
  return undefined
}

/** Whether an answer's cookies open a session. */
export function opensSession(cookies: readonly string[]): boolean {
  return cookies.some(
    (cookie) => cookie.startsWith(`${SESSION_COOKIE}=`) && !/;\s*max-age=0\b/i.test(cookie),
  )
}

/** The request's cookies as they are once the answer's are taken over: what the browser sends next. */
export function cookiesAfter(header: string | null, cookies: readonly string[]): string {
  const pairs = new Map<string, string>()
  for (const part of [...(header ?? "").split(";"), ...cookies.map((one) => one.split(";")[0])]) {
    const [key = "", ...value] = (part ?? "").split("=")
    if (key.trim() !== "") pairs.set(key.trim(), value.join("=").trim())
  }
  return [...pairs].map(([key, value]) => `${key}=${value}`).join("; ")
}
