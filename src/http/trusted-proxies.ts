import { Networks, plainAddress } from "../wire/http/networks.ts"
import { isPublicAddress } from "../wire/http/public-address.ts"

/** Maximum hops followed. No operator has that many proxies. */
const MAX_HOPS = 32
/** Headers of real proxies have a few dozen characters. Only the end of longer ones is read. */
const MAX_HEADER_LENGTH = 4_096
const SCHEME = /^https?$/i
/** Matches a name or address, with or without a port, up to the maximum length of names. */
const HOST = /^[\w.:[\]-]{1,261}$/

/** The address of a caller and the origin it used. */
export interface Forwarded {
  /** The network address of the caller; null if the connection is gone. */
  readonly address: string | null
  /**
   * The origin used by the caller as reported by trusted proxies (`https://ai.example.com`); absent without a report.
   */
  readonly origin?: string
}

/**
 * The proxies whose `x-forwarded-for`, `-proto` and `-host` headers are trusted. Those headers of all others are
 * ignored.
 */
export class TrustedProxies {
  readonly #networks: Networks | undefined
  readonly #ignored: (proxy: string) => void
  #hasIgnored = false

  /**
   * @param networks addresses and CIDRs, validated by the settings.
   * @param ignored called once with the address of a probable proxy of the operator that is not listed.
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
   * Returns the address of the caller and the origin it used.
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

  /** Reports headers from the operator's own network, which come from a proxy. On the internet anyone may send them. */
  #ignore(proxy: string): void {
    if (this.#hasIgnored || isPublicAddress(proxy)) return
    this.#hasIgnored = true
    this.#ignored(proxy)
  }

  /** Walks from the right, written by the nearest proxy, to the first address that is not a trusted proxy's. */
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

/** Returns the last entries of a list, beginning with the last one. */
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
 * Returns the origin used by the caller at the first trusted proxy.
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
