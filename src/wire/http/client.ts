import { ConnectionPool } from "./connection-pool.ts"
import { FetchedSending } from "./fetched.ts"
import { proxyFor } from "./proxies.ts"
import type { HttpBody, HttpRequest } from "./request.ts"
import { OwnSending, type Sending } from "./sending.ts"

/** A parsed address. */
interface Target {
  readonly pool: ConnectionPool
  /** The request line and the `host` header. */
  readonly start: string
}

/** Maximum number of cached addresses. */
const MAX_TARGETS = 1_000
/** Interval of the checks for idle connections. A connection that was not used between two checks is closed. */
const CHECK_INTERVAL_MS = 30_000

const LENGTH = "content-length"

/**
 * Sends requests upstream over reused connections. It follows no redirects, and only adds the `host` header and the
 * length of the body. It never repeats a request that a server may have started to process.
 */
export class HttpClient implements Disposable {
  readonly #pools = new Map<string, ConnectionPool>()
  readonly #targets = new Map<string, Target>()
  readonly #headerTexts = new WeakMap<Headers, string>()
  readonly #proxied: ReadonlySet<string>
  readonly #timer: ReturnType<typeof setInterval>

  /** @param environment variables that may name a proxy. If they do, requests use the runtime's own client. */
  constructor(environment: Readonly<Record<string, string | undefined>>) {
    const protocols = ["http:", "https:"]
    this.#proxied = new Set(protocols.filter((protocol) => proxyFor(protocol, environment)))
    this.#timer = setInterval(() => {
      for (const pool of this.#pools.values()) pool.closeUnused()
    }, CHECK_INTERVAL_MS)
    this.#timer.unref()
  }

  /**
   * Sends a request.
   * @throws TypeError if the address is invalid.
   */
  send(request: HttpRequest): Sending {
    const { url, headers, body } = request
    if (this.#proxied.size > 0 && this.#proxied.has(new URL(url).protocol)) {
      return new FetchedSending(request)
    }
    const { pool, start } = this.#targets.get(url) ?? this.#remember(url)
    const parts = { head: start + this.#headerText(headers), body, length: lengthOf(headers, body) }
    return new OwnSending(pool, parts, pool.take())
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    for (const pool of this.#pools.values()) pool[Symbol.dispose]()
  }

  #remember(url: string): Target {
    const { origin, protocol, hostname, port, host, pathname, search } = new URL(url)
    const isSecure = protocol === "https:"
    let pool = this.#pools.get(origin)
    if (pool === undefined) {
      pool = new ConnectionPool({
        hostname: hostname.replace(/^\[|\]$/g, ""),
        port: Number(port) || (isSecure ? 443 : 80),
        isSecure,
      })
      this.#pools.set(origin, pool)
    }
    const target = { pool, start: `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n` }
    if (this.#targets.size >= MAX_TARGETS) this.#targets.clear()
    this.#targets.set(url, target)
    return target
  }

  #headerText(headers: Headers): string {
    let text = this.#headerTexts.get(headers)
    if (text === undefined) {
      text = ""
      for (const [name, value] of headers) {
        if (name !== LENGTH) text += `${name}: ${value}\r\n`
      }
      this.#headerTexts.set(headers, text)
    }
    return text
  }
}

/** Returns the length of the body in bytes; undefined for a stream of unknown length. */
function lengthOf(headers: Headers, body: HttpBody): number | undefined {
  if (typeof body === "string") return Buffer.byteLength(body)
  if (body instanceof Uint8Array) return body.byteLength
  const reported = headers.get(LENGTH)
  return reported === null ? undefined : Number(reported)
}
