import { Networks, plainAddress } from "../wire/http/networks.ts"
import { isPublicAddress } from "../wire/http/public-address.ts"

/** More hops than this are not followed: no one has as many proxies of their own. */
const MOST_HOPS = 32
/** More of a header is not read. Those of real proxies have a few dozen characters. */
const LONGEST_HEADER = 4_096
const SCHEME = /^https?$/i
/** A name or address with or without a port, as long as names can be. */
const HOST = /^[\w.:[\]-]{1,261}$/

/** Who sends a request, and where. */
export interface Forwarded {
  /** The network address of the caller; null where the connection is gone. */
  readonly address: string | null
  /** Where trusted proxies say that the caller reached this gateway (`https://ai.example.com`); absent: they say nothing. */
  readonly origin?: string
}

/** The proxies whose `x-forwarded-for`, `-proto` and `-host` are believed. Those of all others are ignored. */
export class TrustedProxies {
  readonly #networks: Networks | undefined
  readonly #ignored: (proxy: string) => void
  #hasIgnored = false

  /**
   * @param networks addresses and CIDRs, as the settings have checked them.
   * @param ignored called once, with the address of what is probably a proxy of the operator's that is not among them.
   */
  constructor(networks: readonly string[] = [], ignored: (proxy: string) => void = () => {}) {
    this.#ignored = ignored
    if (networks.length > 0) this.#networks = new Networks(networks)
  }

  /** Whether there is none. */
  get isNone(): boolean {
    return this.#networks === undefined
  }

  /**
   * Who sends a request, and where they reached this gateway.
   * @param peer the other end of the connection.
   */
  forwarded(request: Request, peer: string | null): Forwarded {
    const header = request.headers.get("x-forwarded-for")
    const proxy = peer === null ? undefined : plainAddress(peer)
    if (proxy === undefined || !this.#trusts(proxy)) {
      if (proxy !== undefined && header !== null) this.#ignore(proxy)
      return { address: peer }
    }
    const { address, hops } = this.#walk(header, proxy)
    const origin = forwardedOrigin(request, Math.max(hops, 1))
    return { address, ...(origin !== undefined && { origin }) }
  }

  /** From the internet anyone may send the header; from the operator's own network it is a proxy that sends it. */
  #ignore(proxy: string): void {
    if (this.#hasIgnored || isPublicAddress(proxy)) return
    this.#hasIgnored = true
    this.#ignored(proxy)
  }

  /** From the right, where the nearest proxy writes, to the first address that is not a trusted proxy's. */
  #walk(header: string | null, proxy: string): { address: string; hops: number } {
    let address = proxy
    let hops = 0
    for (const entry of lastEntries(header)) {
      const next = plainAddress(entry)
      if (next === undefined) break
      address = next
      hops += 1
      if (!this.#trusts(address)) break
    }
    return { address, hops }
  }

  #trusts(address: string): boolean {
    return this.#networks?.has(address) === true
  }
}

/** The last entries of a list, the last one first. */
function lastEntries(header: string | null): string[] {
  if (header === null) return []
  const end = header.slice(-LONGEST_HEADER).split(",")
  // The first one may be the rest of a longer one.
  if (header.length > LONGEST_HEADER) end.shift()
  return end
    .slice(-MOST_HOPS)
    .toReversed()
    .map((entry) => entry.trim())
}

/**
 * The scheme and host by which the caller reached the first proxy that is trusted.
 * @param hops how many trusted proxies have added to the headers; entries left of theirs are the caller's own.
 * @returns undefined where they say neither, or nothing that can be an address.
 */
function forwardedOrigin(request: Request, hops: number): string | undefined {
  const scheme = entryAt(request.headers.get("x-forwarded-proto"), hops)
  const host = entryAt(request.headers.get("x-forwarded-host"), hops)
  if (scheme === undefined && host === undefined) return undefined
  if (scheme !== undefined && !SCHEME.test(scheme)) return undefined
  if (host !== undefined && !HOST.test(host)) return undefined
  const asked = URL.parse(request.url)
  if (asked === null) return undefined
  const url = URL.parse(`${scheme ?? asked.protocol.slice(0, -1)}://${host ?? asked.host}`)
  return url?.origin
}

function entryAt(header: string | null, hops: number): string | undefined {
  const entries = lastEntries(header)
  return entries[Math.min(hops, entries.length) - 1] || undefined
}
