import { GatewayError } from "../canon/errors.ts"

/**
 * Returns an expiry time in Unix milliseconds; null for no expiry.
 * @param text RFC 3339 text from the API.
 * @throws GatewayError `invalid_value` if the time has passed.
 */
export function expiryOf(text: string | null, now: number): number | null {
  if (text === null) return null
  const expiresAt = Date.parse(text)
  if (expiresAt > now) return expiresAt
  throw new GatewayError("invalid_value", "'expires_at' must lie in the future.", {
    parameter: "expires_at",
  })
}
