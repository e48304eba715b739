import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { isPublicAddress } from "./public-address.ts"

/** Why an address that someone else chose is not called, or did not answer. */
export class PinnedFetchError extends Error {
  override readonly name = "PinnedFetchError"
  /** Whether the address itself is refused, before anything is sent. */
  readonly isRefused: boolean

  constructor(message: string, isRefused: boolean) {
    super(message)
    this.isRefused = isRefused
  }
}

export interface PinnedRequest {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** Whether private networks may be reached. */
  readonly allowsPrivate: boolean
  /** The deadline for the entire answer, milliseconds. */
  readonly deadline: number
  /** Ends it sooner. */
  readonly signal?: AbortSignal
}

/**
 * Reads a web address that someone else chose.
 * @throws PinnedFetchError that it is refused.
 */
export function readWebAddress(address: string): URL {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new PinnedFetchError("it is no web address", true)
  }
  if (url.username !== "" || url.password !== "") {
    throw new PinnedFetchError("it holds a credential", true)
  }
  return url
}

/**
 * Calls an address that someone else chose. The name is resolved once and checked, and the request goes to exactly that
 * address: a name that resolves differently later gains nothing. Redirects are not followed.
 * @throws PinnedFetchError
 */
export async function pinnedFetch(url: URL, request: PinnedRequest): Promise<Response> {
  const { method = "GET", headers, body, allowsPrivate, deadline, signal } = request
  const ip = await resolveAddress(url, allowsPrivate)
  const pinned = new URL(url)
  pinned.hostname = ip.includes(":") ? `[${ip}]` : ip
  const isNamed = isIP(hostOf(url)) === 0
  const late = AbortSignal.timeout(deadline)
  try {
    return await fetch(pinned, {
      method,
      headers: { host: url.host, "user-agent": "tollgate", ...headers },
      ...(body !== undefined && { body }),
      decompress: false,
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, late]) : late,
      ...(isNamed && url.protocol === "https:" ? { tls: { serverName: url.hostname } } : {}),
    })
  } catch {
    throw new PinnedFetchError("it cannot be reached", false)
  }
}

/**
 * The one address that a name stands for.
 * @throws PinnedFetchError
 */
export async function resolveAddress(url: URL, allowsPrivate: boolean): Promise<string> {
  const host = hostOf(url)
  let addresses: readonly string[]
  try {
    addresses =
      isIP(host) === 0 ? (await lookup(host, { all: true })).map((found) => found.address) : [host]
  } catch {
    throw new PinnedFetchError("its name is unknown", false)
  }
  const [first] = addresses
  if (first === undefined) throw new PinnedFetchError("its name is unknown", false)
  if (!allowsPrivate && !addresses.every(isPublicAddress)) {
    throw new PinnedFetchError("it is not on the public internet", true)
  }
  return first
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "")
}
