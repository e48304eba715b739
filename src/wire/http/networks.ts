import { BlockList, isIP } from "node:net"

const IPV4_IN_IPV6 = "::ffff:0:0"
const IPV4_IN_IPV6_PREFIX = 96
/** Matches an IPv4 address with a port, which some load balancers send. */
const IPV4_PORT = /^([\d.]+):\d{1,5}$/
/** Matches IPv6 in brackets, with or without a port. */
const IPV6_BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/

const mapped = new BlockList()
mapped.addSubnet(IPV4_IN_IPV6, IPV4_IN_IPV6_PREFIX, "ipv6")

/** A set of addresses and address ranges. */
export class Networks {
  readonly #list = new BlockList()

  /** @param networks validated addresses and address ranges (CIDR). */
  constructor(networks: readonly string[]) {
    for (const network of networks) this.#add(network)
  }

  /**
   * Reports whether an address is in the set.
   * @param address an address as returned by `plainAddress`.
   */
  has(address: string): boolean {
    return this.#list.check(address, familyOf(address))
  }

  #add(network: string): void {
    const [address = "", prefix] = network.split("/")
    const family = familyOf(address)
    if (prefix === undefined) this.#list.addAddress(address, family)
    else this.#list.addSubnet(address, Number(prefix), family)
  }
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6"
}

/**
 * Returns an address in normal form: without port, brackets and zone, and with a mapped IPv4 address as IPv4; undefined
 * if it is invalid.
 */
export function plainAddress(text: string): string | undefined {
  const host = IPV4_PORT.exec(text)?.[1] ?? IPV6_BRACKETS.exec(text)?.[1] ?? text
  const [address = ""] = host.split("%", 1)
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 6 && mapped.check(address, "ipv6") ? ipv4Of(address) : address
}

/** Returns the IPv4 address that an IPv6 address contains, such as `::ffff:10.0.0.1` or `::ffff:a00:1`. */
function ipv4Of(address: string): string {
  const [high = 0, low = 0] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split(":")
    .slice(-2)
    .map((group) => parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}
