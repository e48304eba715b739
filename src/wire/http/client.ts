import { FetchedSending } from "./fetched.ts"
import { proxyFor } from "./proxies.ts"
import type { HttpBody, HttpRequest } from "./request.ts"
import { OwnSending, type Sending, type ConnectionSource } from "./sending.ts"
import { Connection, type Origin } from "./connection.ts"

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

/** Maximum number of idle connections. */
const MAX_IDLE = 256

/**
 * The connections to one origin. After a response, a connection is kept for the next request. A request that waits for
 * a new connection uses another connection that becomes idle first, because a busy runtime may delay handshakes for
 * seconds.
 */
class ConnectionPool implements ConnectionSource, Disposable {
  readonly #origin: Origin
  #idle: Connection[] = []
  /** Requests whose own connection is not established yet, in order of arrival. */
  readonly #waiting = new Set<OwnSending>()
  #isOver = false

  constructor(origin: Origin) {
    this.#origin = origin
  }

  /**
   * Takes the most recently used connection, which is the least likely to be stale; undefined if no connection is idle.
   */
  take(): Connection | undefined {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (!last.isClosed) return last
    }
    return undefined
  }

  connect(sending: OwnSending): Connection {
    this.#waiting.add(sending)
    return new Connection(this.#origin, sending)
  }

  stopWaiting(sending: OwnSending): void {
    this.#waiting.delete(sending)
  }

  leave(connection: Connection): void {
    connection.user = {
      onReady: () => this.release(connection),
      onBytes: () => connection.destroy(),
      onClosed() {},
    }
  }

  release(connection: Connection): void {
    connection.user = undefined
    // Reading may have been paused, because the reader of the last response was slow.
    connection.resume()
    const [next] = this.#waiting
    if (next !== undefined && !connection.isClosed) {
      this.#waiting.delete(next)
      next.take(connection)
      return
    }
    connection.wasIdle = false
    if (this.#idle.length < MAX_IDLE && !this.#isOver) this.#idle.push(connection)
    else connection.destroy()
  }

  /** Closes connections that were not used since the last call to this method. */
  closeUnused(): void {
    this.#idle = this.#idle.filter((connection) => {
      if (connection.wasIdle) connection.destroy()
      connection.wasIdle = true
      return !connection.isClosed
    })
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    for (const connection of this.#idle) connection.destroy()
    this.#idle = []
  }
}
