import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { isProxied } from "./proxies.ts"
import { isPublicAddress } from "./public-address.ts"

/** The error for an address supplied by a user that is rejected or does not respond. */
export class PinnedFetchError extends Error {
  override readonly name = "PinnedFetchError"
  /** Whether the address itself was rejected before anything was sent. */
  readonly isRejected: boolean
  /** The message for users who must not find out which names exist in the operator's network. */
  readonly wordsForUsers: string

  constructor(message: string, isRejected: boolean, wordsForUsers = message) {
    super(message)
    this.isRejected = isRejected
    this.wordsForUsers = wordsForUsers
  }
}

const UNKNOWN_OR_PRIVATE = "its name is unknown or not on the public internet"

export interface PinnedRequest {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** Whether addresses in private networks may be called. */
  readonly allowsPrivate: boolean
  /** Timeout for the entire response, in milliseconds. */
  readonly deadline: number
  readonly signal?: AbortSignal
}

/**
 * Parses an HTTP URL supplied by a user.
 * @throws PinnedFetchError if the address is rejected.
 */
export function readWebAddress(address: string): URL {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new PinnedFetchError("it is not an HTTP URL", true)
  }
  if (url.username !== "" || url.password !== "") {
    throw new PinnedFetchError("it contains a credential", true)
  }
  return url
}

/**
 * Calls an address supplied by a user. Without a proxy, the name is resolved once and checked, and the request goes to
 * exactly that address. A later change to the name's resolution therefore has no effect. A proxy receives the name and
 * resolves it again, so this protection then depends on the proxy. Redirects are not followed.
 * @throws PinnedFetchError if the address is rejected or does not respond.
 */
export async function pinnedFetch(url: URL, request: PinnedRequest): Promise<Response> {
  const { method = "GET", headers, body, deadline, signal } = request
  const { target, init } = await routeOf(url, request)
  const late = AbortSignal.timeout(deadline)
  try {
    return await fetch(target, {
      method,
      ...init,
      headers: { host: url.host, "user-agent": "tollgate", ...headers },
      ...(body !== undefined && { body }),
      decompress: false,
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
  } catch {
    throw new PinnedFetchError("it cannot be reached", false)
  }
}

/** Prevents the runtime from using the proxy of the environment. The runtime's types lack this value. */
const NO_PROXY = { proxy: false } as unknown as BunFetchRequestInit

/** Determines the destination and the options of a request. @throws PinnedFetchError */
async function routeOf(
  url: URL,
  { allowsPrivate }: Pick<PinnedRequest, "allowsPrivate">,
): Promise<{ readonly target: URL; readonly init: BunFetchRequestInit }> {
  if (isProxied(url, process.env)) {
    await checkProxied(url, allowsPrivate)
    return { target: url, init: {} }
  }
  const ip = await resolveAddress(url, allowsPrivate)
  const target = new URL(url)
  target.hostname = ip.includes(":") ? `[${ip}]` : ip
  const isNamed = isIP(hostOf(url)) === 0
  const tls = isNamed && url.protocol === "https:" ? { tls: { serverName: url.hostname } } : {}
  return { target, init: { ...NO_PROXY, ...tls } }
}

/**
 * Checks that an address may be called, without calling it.
 * @throws PinnedFetchError
 */
export async function checkAddress(url: URL, allowsPrivate: boolean): Promise<void> {
  await routeOf(url, { allowsPrivate })
}

/** Matches names that never refer to a host on the public internet. */
const LOCAL_NAME =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/

/**
 * Rejects names that a proxy would resolve to its own network. Names that only the proxy can
 * resolve are accepted.
 */
async function checkProxied(url: URL, allowsPrivate: boolean): Promise<void> {
  if (allowsPrivate) return
  const host = hostOf(url).replace(/\.$/, "")
  const isLocal = isIP(host) === 0 && (!host.includes(".") || LOCAL_NAME.test(host))
  if (isLocal) throw new PinnedFetchError("it is not on the public internet", true)
  try {
    await resolveAddress(url, false)
  } catch (error) {
    if (!(error instanceof PinnedFetchError) || error.isRejected) throw error
  }
}

/**
 * Resolves a name to one address.
 * @throws PinnedFetchError if the name has no address that may be called.
 */
async function resolveAddress(url: URL, allowsPrivate: boolean): Promise<string> {
  const host = hostOf(url)
  const isName = isIP(host) === 0
  const wordsForUsers = isName && !allowsPrivate ? UNKNOWN_OR_PRIVATE : undefined
  let addresses: readonly string[]
  try {
    addresses = isName ? (await lookup(host, { all: true })).map((found) => found.address) : [host]
  } catch {
    throw new PinnedFetchError("its name is unknown", false, wordsForUsers)
  }
  const [first] = addresses
  if (first === undefined) throw new PinnedFetchError("its name is unknown", false, wordsForUsers)
  if (!allowsPrivate && !addresses.every(isPublicAddress)) {
    throw new PinnedFetchError("it is not on the public internet", true, wordsForUsers)
  }
  return first
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "")
}
