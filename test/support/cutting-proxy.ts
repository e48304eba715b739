import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net"

/** The message with which a client ends a transaction. It is sent separately. */
const COMMIT = "COMMIT\0"
/** The first bytes of messages that begin a statement: Query, Parse and Bind. */
const STATEMENTS = new Set([..."QPB"].map((type) => type.charCodeAt(0)))

/**
 * When the connection is cut: before the server receives the end of a transaction, or before the client receives the
 * confirmation.
 */
export type Cut = "before" | "after"

/**
 * How the server fails: it accepts connections but sends nothing, it refuses connections, or it resets each connection
 * during its first statement.
 */
export type Outage = "silent" | "refused" | "reset"

/**
 * A proxy in front of a PostgreSQL server that cuts connections at the ends of transactions, or simulates an outage.
 */
export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  readonly #cuts: Cut[] = []
  #outage: Outage | undefined
  /** The port of the proxy, which stays the same after an outage. */
  #port = 0

  private constructor(port: number) {
    this.#server = createServer((client) => this.#connect(client, port))
  }

  /** @param port the port of the server. */
  static async listen(port: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port)
    await proxy.#listen()
    return proxy
  }

  async #listen(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.listen(this.#port, "127.0.0.1", resolve)
    await promise
    this.#port = (this.#server.address() as AddressInfo).port
  }

  get port(): number {
    return this.#port
  }

  /** Sets the cuts for the next transactions. Each cut is used once, in order. */
  cutCommits(...cuts: readonly Cut[]): void {
    this.#cuts.push(...cuts)
  }

  /** Number of remaining cuts. */
  get cutsLeft(): number {
    return this.#cuts.length
  }

  /** Begins an outage, also for the open connections. */
  async beginOutage(outage: Outage): Promise<void> {
    this.#outage = outage
    if (outage === "refused") await this.#close()
  }

  /** Ends an outage. Connections from the time of the outage are closed. */
  async endOutage(): Promise<void> {
    const wasRefused = this.#outage === "refused"
    this.#outage = undefined
    for (const socket of this.#open) socket.destroy()
    if (wasRefused) await this.#listen()
  }

  #connect(client: Socket, port: number): void {
    const server = connect(port, "127.0.0.1")
    let isCut = false
    const cut = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      this.#open.add(socket)
      socket.on("error", cut)
      socket.on("close", () => {
        this.#open.delete(socket)
        cut()
      })
    }
    client.on("data", (bytes) => {
      if (this.#outage === "silent") return
      if (this.#outage === "reset" && STATEMENTS.has(Number(bytes[0]))) {
        client.resetAndDestroy()
        return
      }
      const when = bytes.includes(COMMIT) ? this.#cuts.shift() : undefined
      if (when === "before") cut()
      else server.write(bytes)
      isCut = when !== undefined
    })
    server.on("data", (bytes) => {
      if (this.#outage === "silent") return
      if (isCut) cut()
      else client.write(bytes)
    })
  }

  async #close(): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    await promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#outage !== "refused") await this.#close()
  }
}
