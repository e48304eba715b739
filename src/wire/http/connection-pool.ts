import { Connection, type Origin } from "./connection.ts"
import type { ConnectionSource, OwnSending } from "./sending.ts"

/** Maximum number of idle connections. */
const MAX_IDLE = 256

/**
 * The connections to one origin. After a response, a connection is kept for the next request. A request that waits for
 * a new connection uses another connection that becomes idle first, because a busy runtime may delay handshakes for
 * seconds.
 */
export class ConnectionPool implements ConnectionSource, Disposable {
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
