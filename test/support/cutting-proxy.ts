import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net"

/** A client ends a transaction with a separate message. */
const COMMIT = "COMMIT\0"

/**
 * The place of a cut: before the server receives the end of a transaction, or before the client receives the
 * confirmation.
 */
export type Cut = "before" | "after"

/** A proxy before a PostgreSQL server that cuts connections around the ends of transactions. */
export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  readonly #cuts: Cut[] = []

  private constructor(port: number) {
    this.#server = createServer((client) => this.#connect(client, connect(port, "127.0.0.1")))
  }

  /** @param port of the server. */
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

  /** Cuts the connections that end the next transactions, one after another. */
  cutCommits(...cuts: readonly Cut[]): void {
    this.#cuts.push(...cuts)
  }

  /** The remaining cuts. */
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
