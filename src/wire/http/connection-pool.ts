import { Connection, type Place } from "./connection.ts"
import type { ConnectionSource, OwnSending } from "./sending.ts"

/** Connections that are kept. */
const MAX_IDLE = 256

/**
 * The connections to one origin: whoever has had an answer leaves theirs for the next. Who waits for a connection of their
 * own takes one that is left sooner: a runtime that is busy may put off handshakes for seconds.
 */
export class ConnectionPool implements ConnectionSource, Disposable {
  readonly #place: Place
  #idle: Connection[] = []
  /** Those whose own connection does not stand yet, in the order in which they came. */
  readonly #waiting = new Set<OwnSending>()
  #isOver = false

  constructor(place: Place) {
    this.#place = place
  }

  /** The one that was used last, the least likely to be stale; undefined when there is none. */
  take(): Connection | undefined {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (!last.isClosed) return last
    }
    return undefined
  }

  connect(sending: OwnSending): Connection {
    this.#waiting.add(sending)
    return new Connection(this.#place, sending)
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
    // Its last answer may still wait for a slow reader.
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

  /** Closes those that no one has used since the last time. */
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
