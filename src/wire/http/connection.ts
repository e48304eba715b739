/** Who uses a connection just now. */
export interface ConnectionUser {
  /** It stands, and its server is who it should be. */
  onReady(): void
  onBytes(bytes: Buffer): void
  /** @param error absent when the server has closed it in good order. */
  onClosed(error?: unknown): void
}

/** Where a connection leads. */
export interface Place {
  readonly hostname: string
  readonly port: number
  readonly isSecure: boolean
}

const IP_ADDRESS = /^[\d.]+$|:/

/** One TCP connection, with TLS where its place asks for it, and whoever uses it. */
export class Connection {
  user: ConnectionUser | undefined
  /** Whether a whole answer has come on it. */
  hasServed = false
  /** Set by whoever looks after idle ones. */
  wasIdle = false
  readonly #place: Place
  #socket: Bun.Socket<Connection> | undefined
  #isClosed = false
  #isPaused = false
  /** What the socket has not taken yet. */
  #rest: Uint8Array | undefined
  #drained: PromiseWithResolvers<void> | undefined

  /** Begins to connect. The user hears what comes of it, but not before they have the connection. */
  constructor(place: Place, user: ConnectionUser) {
    this.#place = place
    this.user = user
    // Some addresses fail at once, within the call.
    queueMicrotask(() => void this.#connect())
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether all that was written has left. */
  get isDrained(): boolean {
    return this.#rest === undefined
  }

  /** Writes a text as far as the socket takes it; the rest follows by itself. */
  writeText(text: string): void {
    if (this.#isClosed) return
    if (this.#rest !== undefined) {
      this.#rest = Buffer.concat([this.#rest, Buffer.from(text)])
      return
    }
    const written = this.#offer(text)
    if (written < Buffer.byteLength(text)) this.#rest = Buffer.from(text).subarray(written)
  }

  /** Resolves when the socket has taken all of it, or is closed: then the bytes may change again. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#rest !== undefined) await (this.#drained ??= Promise.withResolvers<void>()).promise
    if (this.#isClosed) return
    const written = this.#offer(bytes)
    if (written === bytes.byteLength) return
    this.#rest = bytes.subarray(written)
    await (this.#drained ??= Promise.withResolvers<void>()).promise
  }

  /** Nothing more is read from it until `resume`. */
  pause(): void {
    this.#isPaused = true
    this.#socket?.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (!this.#isClosed) this.#socket?.resume()
  }

  /** Ends it without a word to its user. */
  destroy(): void {
    this.user = undefined
    this.#close()
    this.#socket?.terminate()
  }

  async #connect(): Promise<void> {
    if (this.#isClosed) return
    const { hostname, port, isSecure } = this.#place
    const name = IP_ADDRESS.test(hostname) ? {} : { serverName: hostname }
    const tls = isSecure ? { ...name, rejectUnauthorized: true } : false
    try {
      await Bun.connect({ hostname, port, tls, socket: Connection.#handlers, data: this })
    } catch (error) {
      this.#lost(error)
    }
  }

  /** @returns how many bytes the socket has taken. */
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

  /** What the runtime calls, for all connections. */
  static readonly #handlers: Bun.SocketHandler<Connection> = {
    binaryType: "buffer",
    open(socket) {
      const connection = socket.data
      connection.#socket = socket
      if (connection.#isClosed) socket.terminate()
      else if (!connection.#place.isSecure) connection.user?.onReady()
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
      // What comes on a connection that no one uses is no answer to anything.
      if (user === undefined) socket.data.destroy()
      else user.onBytes(bytes)
    },
    drain: (socket) => socket.data.#drain(),
    close: (socket, error) => socket.data.#lost(error),
    error: (socket, error) => socket.data.#lost(error),
    connectError: (socket, error) => socket.data.#lost(error),
  }
}
