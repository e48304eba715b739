import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net"

/** The message with which a client ends a transaction. It is sent separately. */
const COMMIT = "COMMIT\0"

/**
 * When the connection is cut: before the server receives the end of a transaction, or before the client receives the
 * confirmation.
 */
export type Cut = "before" | "after"

/** A proxy in front of a PostgreSQL server that cuts connections at the ends of transactions. */
export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  readonly #cuts: Cut[] = []

  private constructor(port: number) {
    this.#server = createServer((client) => this.#connect(client, connect(port, "127.0.0.1")))
  }

  /** @param port the port of the server. */
  static async listen(port: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port)
    const { promise, resolve } = Promise.withResolvers<void>()
    proxy.#server.listen(0, "127.0.0.1", resolve)
    await promise
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Sets the cuts for the next transactions. Each cut is used once, in order. */
  cutCommits(...cuts: readonly Cut[]): void {
    this.#cuts.push(...cuts)
  }

  /** Number of remaining cuts. */
  get cutsLeft(): number {
    return this.#cuts.length
  }

  #connect(client: Socket, server: Socket): void {
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
      const when = bytes.includes(COMMIT) ? this.#cuts.shift() : undefined
      if (when === "before") cut()
      else server.write(bytes)
      isCut = when !== undefined
    })
    server.on("data", (bytes) => {
      if (isCut) cut()
      else client.write(bytes)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    await promise
  }
}
