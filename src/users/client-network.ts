import { isIP } from "node:net"

/** Groups of 16 bits: of an IPv6 address, and of the network that providers give one customer at least. */
const GROUPS = 8
const NETWORK_GROUPS = 4
/** IPv4 within IPv6, as a server that listens on both sees it. */
const MAPPED = /^::ffff:/i

/**
 * What limits per address count by: the address; of IPv6 the network of 64 bits, since whoever has one address there
 * has them all.
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
