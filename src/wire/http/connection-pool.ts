import { Connection, type Origin } from "./connection.ts"
import type { ConnectionSource, OwnSending } from "./sending.ts"

/** The most idle connections. */
const MAX_IDLE = 256

/**
 * The connections to one origin: after a response, a connection is kept for the next request. A request that
 * waits for a new connection takes one that becomes free sooner: a busy runtime may delay handshakes for
 * seconds.
 */
export class ConnectionPool implements ConnectionSource, Disposable {
  readonly #origin: Origin
  #idle: Connection[] = []
  /** Requests whose own connection is not established yet, in the order they arrived. */
  readonly #waiting = new Set<OwnSending>()
  #isOver = false

  constructor(origin: Origin) {
    this.#origin = origin
  }

  /** The most recently used one, which is the least likely to be stale; undefined when there is none. */
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
    // Its last response may still wait for a slow reader.
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

  /** Closes those that were not used since the last call. */
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
