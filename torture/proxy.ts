import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net"

/** How a proxy treats forwarded data. Times are in milliseconds, rates in bytes per second. */
export type Weather =
  | { readonly kind: "fair" }
  | { readonly kind: "delay"; readonly time: number }
  | { readonly kind: "throttle"; readonly rate: number }
  /** Connections are accepted, but nothing is forwarded. */
  | { readonly kind: "silence" }

const FAIR: Weather = { kind: "fair" }

/** Both connections of a client through the proxy. */
interface Pair {
  readonly near: Socket
  readonly far: Socket
  /** Whether bytes were dropped, so that the connection must not continue. */
  isBroken: boolean
  /** Whether the next chunk is cut in half, after which the connection is closed. */
  isHalving: boolean
}

/** A TCP proxy that damages forwarded data. */
export class FaultyProxy implements AsyncDisposable {
  readonly port: number
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  #weather = FAIR

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  /** Starts a proxy on a free port of this machine that forwards to another port. */
  static async start(target: number): Promise<FaultyProxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const proxy = new FaultyProxy(server)
    server.on("connection", (near) => proxy.#accept(near, target))
    return proxy
  }

  /** Sets the treatment from now on. When a silence ends, connections that lost bytes are closed. */
  set weather(weather: Weather) {
    this.#weather = weather
    for (const pair of this.#pairs) if (pair.isBroken) cut(pair)
  }

  clear(): void {
    this.weather = FAIR
  }

  /** Closes all connections. */
  cut(): void {
    for (const pair of this.#pairs) cut(pair)
  }

  /** Forwards only half of the next chunk of each connection, and then closes the connection. */
  halve(): void {
    for (const pair of this.#pairs) pair.isHalving = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(near: Socket, target: number): void {
    const far = connect(target, "127.0.0.1")
    const pair: Pair = { near, far, isBroken: false, isHalving: false }
    this.#pairs.add(pair)
    this.#passOn(pair, near, far)
    this.#passOn(pair, far, near)
  }

  #passOn(pair: Pair, from: Socket, to: Socket): void {
    // Forwarded data stays in order, even if some of it is delayed.
    let before = Promise.resolve()
    const then = (step: () => void | Promise<void>): void => {
      before = before.then(step).catch(() => cut(pair))
    }
    from.on("data", (chunk: Buffer) => {
      from.pause()
      then(async () => {
        await this.#passChunk(pair, to, chunk)
        from.resume()
      })
    })
    from.on("end", () => then(() => void to.end()))
    from.on("error", () => cut(pair))
    from.on("close", () => {
      this.#pairs.delete(pair)
      then(() => void to.end())
    })
  }

  async #passChunk(pair: Pair, to: Socket, chunk: Buffer): Promise<void> {
    const weather = this.#weather
    if (weather.kind === "silence" || pair.isBroken) {
      pair.isBroken = true
      return
    }
    if (weather.kind === "delay") await Bun.sleep(weather.time)
    if (weather.kind === "throttle") await Bun.sleep((chunk.length / weather.rate) * 1_000)
    if (!pair.isHalving) return write(to, chunk)
    await write(to, chunk.subarray(0, Math.ceil(chunk.length / 2)))
    cut(pair)
  }
}

/** Resolves when there is room for more data. */
async function write(to: Socket, chunk: Buffer): Promise<void> {
  if (to.destroyed || to.write(chunk)) return
  await new Promise<void>((resolve) => {
    to.once("drain", resolve)
    to.once("close", resolve)
  })
}

function cut({ near, far }: Pair): void {
  near.resetAndDestroy()
  far.resetAndDestroy()
}
