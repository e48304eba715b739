/** The current user of a connection. */
export interface ConnectionUser {
  /** Called when the connection is established and the server is authenticated. */
  onReady(): void
  onBytes(bytes: Buffer): void
  /**
   * Called when the connection is closed.
   * @param error absent if the server closed the connection properly.
   */
  onClosed(error?: unknown): void
}

/** The destination of a connection. */
export interface Origin {
  readonly hostname: string
  readonly port: number
  readonly isSecure: boolean
}

const IP_ADDRESS = /^[\d.]+$|:/

/** A TCP connection and its current user. It uses TLS if the origin requires it. */
export class Connection {
  user: ConnectionUser | undefined
  /** Set after the first complete response on this connection. */
  hasServed = false
  /** Whether the connection was idle at the last check; set and read by the pool. */
  wasIdle = false
  readonly #origin: Origin
  #socket: Bun.Socket<Connection> | undefined
  #isClosed = false
  #isPaused = false
  /** Bytes that the socket has not accepted yet. */
  #rest: Uint8Array | undefined
  #drained: PromiseWithResolvers<void> | undefined

  /** Starts to connect. The user is notified of the result after the constructor has returned. */
  constructor(origin: Origin, user: ConnectionUser) {
    this.#origin = origin
    this.user = user
    // The connection starts after the constructor, because some addresses fail immediately.
    queueMicrotask(() => void this.#connect())
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether all written bytes have been sent. */
  get isDrained(): boolean {
    return this.#rest === undefined
  }

  /** Writes as much text as the socket accepts. The rest is written when the socket can accept more. */
  writeText(text: string): void {
    if (this.#isClosed) return
    if (this.#rest !== undefined) {
      this.#rest = Buffer.concat([this.#rest, Buffer.from(text)])
      return
    }
    const written = this.#offer(text)
    if (written < Buffer.byteLength(text)) this.#rest = Buffer.from(text).subarray(written)
  }

  /**
   * Writes bytes. Resolves when the socket has accepted all bytes or is closed. The bytes may be changed afterwards.
   */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#rest !== undefined) await (this.#drained ??= Promise.withResolvers<void>()).promise
    if (this.#isClosed) return
    const written = this.#offer(bytes)
    if (written === bytes.byteLength) return
    this.#rest = bytes.subarray(written)
    await (this.#drained ??= Promise.withResolvers<void>()).promise
  }

  /** Stops reading until `resume` is called. */
  pause(): void {
    this.#isPaused = true
    this.#socket?.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (!this.#isClosed) this.#socket?.resume()
  }

  /** Closes the connection without notifying its user. */
  destroy(): void {
    this.user = undefined
    this.#close()
    this.#socket?.terminate()
  }

  async #connect(): Promise<void> {
    if (this.#isClosed) return
    const { hostname, port, isSecure } = this.#origin
    const name = IP_ADDRESS.test(hostname) ? {} : { serverName: hostname }
    const tls = isSecure ? { ...name, rejectUnauthorized: true } : false
    try {
      await Bun.connect({ hostname, port, tls, socket: Connection.#handlers, data: this })
    } catch (error) {
      this.#lost(error)
    }
  }

  /**
   * Writes to the socket.
   * @returns the number of bytes that the socket has accepted.
   */
  #offer(data: string | Uint8Array): number {
    return Math.max(0, this.#socket?.write(data) ?? 0)
  }

  #close(): void {
    this.#isClosed = true
    this.#rest = undefined
    this.#drained?.resolve()
  }

  #lost(error?: unknown): void {
    if (this.#isClosed) return
    this.#close()
    this.user?.onClosed(error)
  }

  #drain(): void {
    const rest = this.#rest
    if (rest === undefined) return
    const written = this.#offer(rest)
    this.#rest = written < rest.byteLength ? rest.subarray(written) : undefined
    if (this.#rest !== undefined) return
    this.#drained?.resolve()
    this.#drained = undefined
  }

  /** The handlers that the runtime calls for all connections. */
  static readonly #handlers: Bun.SocketHandler<Connection> = {
    binaryType: "buffer",
    open(socket) {
      const connection = socket.data
      connection.#socket = socket
      if (connection.#isClosed) socket.terminate()
      else if (!connection.#origin.isSecure) connection.user?.onReady()
    },
    handshake(socket, isGood, error) {
      const connection = socket.data
      if (isGood && socket.authorized) connection.user?.onReady()
      else {
        connection.#lost(error ?? new Error("the server's certificate is not trusted"))
        socket.terminate()
      }
    },
    data(socket, bytes) {
      const { user } = socket.data
      // Data on an unused connection is not a response to a request, so the connection is closed.
      if (user === undefined) socket.data.destroy()
      else user.onBytes(bytes)
    },
    drain: (socket) => socket.data.#drain(),
    close: (socket, error) => socket.data.#lost(error),
    error: (socket, error) => socket.data.#lost(error),
    connectError: (socket, error) => socket.data.#lost(error),
  }
}
