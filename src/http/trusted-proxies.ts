import { Networks, plainAddress } from "../wire/http/networks.ts"
import { isPublicAddress } from "../wire/http/public-address.ts"

/** Maximum number of proxies in a chain. No operator has this many. */
const MAX_HOPS = 32
/**
 * Maximum length of the headers that are read. Real proxies send a few dozen characters. Of longer headers, only the
 * end is read.
 */
const MAX_HEADER_LENGTH = 4_096
const SCHEME = /^https?$/i
/** Matches a name or address, with or without a port, up to the maximum length of names. */
const HOST = /^[\w.:[\]-]{1,261}$/

/** The address of a caller, and the origin that the caller used. */
export interface Forwarded {
  /** The network address of the caller; null if the connection was closed. */
  readonly address: string | null
  /**
   * The origin that the caller used, such as `https://ai.example.com`, as reported by trusted proxies; absent without a
   * report.
   */
  readonly origin?: string
}

/**
 * The proxies whose `x-forwarded-for`, `-proto` and `-host` headers are trusted. These headers are ignored in requests
 * from all other senders.
 */
export class TrustedProxies {
  readonly #networks: Networks | undefined
  readonly #ignored: (proxy: string) => void
  #hasIgnored = false

  /**
   * @param networks addresses and CIDRs, which the settings have validated.
   * @param ignored called once with the address of a sender that is probably an unlisted proxy of the operator.
   */
  constructor(networks: readonly string[] = [], ignored: (proxy: string) => void = () => {}) {
    this.#ignored = ignored
    if (networks.length > 0) this.#networks = new Networks(networks)
  }

  /** Whether no proxy is trusted. */
  get isEmpty(): boolean {
    return this.#networks === undefined
  }

  /**
   * Returns the address of the caller and the origin that the caller used.
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

  /**
   * Reports forwarding headers from a private network, which probably come from a proxy. On the internet, anyone may
   * send these headers.
   */
  #ignore(proxy: string): void {
    if (this.#hasIgnored || isPublicAddress(proxy)) return
    this.#hasIgnored = true
    this.#ignored(proxy)
  }

  /**
   * Walks from the rightmost entry, which the nearest proxy wrote, to the first address that does not belong to a
   * trusted proxy.
   */
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

/** Returns the last entries of a header's list, in reverse order. */
function lastEntries(header: string | null): string[] {
  if (header === null) return []
  const end = header.slice(-MAX_HEADER_LENGTH).split(",")
  // The first entry may be truncated.
  if (header.length > MAX_HEADER_LENGTH) end.shift()
  return end
    .slice(-MAX_HOPS)
    .toReversed()
    .map((entry) => entry.trim())
}

/**
 * Returns the origin that the caller used at the first trusted proxy.
 * @param hops number of trusted proxies that have added to the headers. Earlier entries come from the caller.
 * @returns undefined if the headers are missing or invalid.
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
