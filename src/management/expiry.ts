import { GatewayError } from "../canon/errors.ts"

/**
 * When something expires, in milliseconds since 1970; null where it never does.
 * @param text as the API takes it, RFC 3339.
 * @throws GatewayError `invalid_value`: it has passed.
 */
export function expiryOf(text: string | null, now: number): number | null {
  if (text === null) return null
  const expiresAt = Date.parse(text)
  if (expiresAt > now) return expiresAt
  throw new GatewayError("invalid_value", "'expires_at' must lie in the future.", {
    parameter: "expires_at",
  })
}
