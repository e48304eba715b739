import { isIP } from "node:net"
import { isPublicAddress } from "../wire/http/public-address.ts"

/** Suffixes of names that cannot be registered on the internet (RFC 6761, 6762, 8375; ICANN's `internal`). */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal|home\.arpa)$/

/**
 * Returns the gateway's origin as a caller sees it, if this origin can be trusted. The caller controls `Host`, and a
 * public name or address in it may belong to a third party. Links therefore contain a public name only if it is in the
 * settings.
 * @param url URL of the request.
 * @param own the gateway's own origin.
 */
export function callerOrigin(url: string, own: string): string {
  const { origin, hostname } = new URL(url)
  return origin === own || isPrivate(hostname) ? origin : own
}

function isPrivate(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "")
  if (isIP(address) !== 0) return !isPublicAddress(address)
  return !hostname.includes(".") || PRIVATE_NAMES.test(hostname)
}
