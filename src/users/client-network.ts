import { isIP } from "node:net"

/**
 * Number of 16-bit groups in an IPv6 address, and in the smallest network that providers assign to
 * a customer.
 */
const GROUPS = 8
const NETWORK_GROUPS = 4
/** Matches an IPv4 address mapped to IPv6, which a server receives if it listens on both IPv4 and IPv6. */
const MAPPED = /^::ffff:/i

/**
 * Returns the key for limits per address, which is the IPv4 address, or the 64-bit network of an IPv6 address. A client
 * can use every address of its own network.
 */
export function clientNetwork(address: string | null): string {
  if (address === null) return "unknown"
  if (isIP(address) !== 6 || MAPPED.test(address)) return address
  const [left = [], right = []] = address
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""))
  const zeros = Array<string>(Math.max(0, GROUPS - left.length - right.length)).fill("0")
  const groups = [...left, ...zeros, ...right].slice(0, NETWORK_GROUPS)
  return `${groups.map((group) => parseInt(group, 16).toString(16)).join(":")}::/64`
}
