import { BlockList, isIP } from "node:net"

/** Networks that are not public, from IANA's registries of special-purpose addresses. */
const PRIVATE_NETWORKS: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]

/** The network of public IPv6 addresses (global unicast), apart from the exceptions below. */
const PUBLIC_IPV6: readonly [string, number] = ["2000::", 3]
const PRIVATE_IPV6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]

const private4 = new BlockList()
for (const [network, prefix] of PRIVATE_NETWORKS) private4.addSubnet(network, prefix, "ipv4")
const public6 = new BlockList()
public6.addSubnet(...PUBLIC_IPV6, "ipv6")
const private6 = new BlockList()
for (const [network, prefix] of PRIVATE_IPV6) private6.addSubnet(network, prefix, "ipv6")

/**
 * Reports whether an address belongs to the public internet. IPv4 addresses mapped to IPv6 do not.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !private4.check(address, "ipv4")
    case 6:
      return public6.check(address, "ipv6") && !private6.check(address, "ipv6")
    default:
      return false
  }
}
