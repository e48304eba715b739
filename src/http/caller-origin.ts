import { isIP } from "node:net"
import { isPublicAddress } from "../wire/http/public-address.ts"

/** Suffixes of names that cannot be registered on the internet (RFC 6761, 6762, 8375; ICANN's `internal`). */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal|home\.arpa)$/

/**
 * Where a caller seems to reach this gateway, as far as that can be believed: `Host` is what the caller says.
 * A name or an address of the public internet may be a stranger's, so links do not lead there unless the settings say so.
 * @param url of the request.
 * @param own the gateway's own address.
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
