import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { type RawRequest, RequestReader } from "./read-requests.ts"
import { soundResponse, type SoundResponse, wholeOf } from "./sound-response.ts"
import type { Step, WireFault } from "./fault.ts"
import { REFUSED } from "./wire-faults.ts"

/** Headers that apply to a single connection. */
const OF_THE_CONNECTION = ["connection", "content-length", "transfer-encoding"] as const

/**
 * A vendor on a separate port that answers like the simulator until a fault is set. Then it injects the fault into its
 * connections, byte by byte.
 */
export class FaultyVendor implements AsyncDisposable {
  readonly port: number
  /** Number of received requests. */
  requests = 0
  readonly #simulatorUrl: string
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #fault: WireFault | undefined

  private constructor(simulatorUrl: string, port: number) {
    this.#simulatorUrl = simulatorUrl
    this.port = port
  }

  /**
   * Starts a vendor.
   * @param simulatorUrl the simulator that creates the correct responses.
   */
  static async start(simulatorUrl: string): Promise<FaultyVendor> {
    const server = createServer()
    await listening(server, 0)
    const vendor = new FaultyVendor(simulatorUrl, (server.address() as AddressInfo).port)
    vendor.#serve(server)
    return vendor
  }

  /**
   * Sets the fault that is injected from now on; undefined means no fault. Closes all connections, so that no earlier
   * fault is still injected into them.
   */
  async misbehave(fault: WireFault | undefined): Promise<void> {
    this.#fault = fault
    this.#cut()
    if (fault === REFUSED) await this.#close()
    else if (this.#server === undefined) {
      const server = createServer()
      await listening(server, this.port)
      this.#serve(server)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cut()
    await this.#close()
  }

  #serve(server: Server): void {
    this.#server = server
    server.on("connection", (socket) => this.#accept(socket))
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async #close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server) await new Promise((resolve) => server.close(resolve))
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on("error", () => undefined)
    socket.on("close", () => this.#sockets.delete(socket))
    const reader = new RequestReader()
    let before = Promise.resolve(true)
    socket.on("data", (bytes: Buffer) => {
      reader.push(bytes)
      for (let request = reader.take(); request !== undefined; request = reader.take()) {
        this.requests++
        const next = request
        before = before.then((isOpen) => isOpen && this.#respond(socket, next))
      }
    })
  }

  /**
   * Answers one request.
   * @returns whether the connection stays open.
   */
  async #respond(socket: Socket, request: RawRequest): Promise<boolean> {
    const fault = this.#fault
    const response = await this.#ask(request, fault?.simulated)
    const steps = fault?.play?.(response) ?? [wholeOf(response)]
    for (const step of steps) if (!(await take(socket, step))) return false
    return true
  }

  async #ask({ method, path, headers, body }: RawRequest, fault?: string): Promise<SoundResponse> {
    const passed = new Headers(headers)
    for (const name of OF_THE_CONNECTION) passed.delete(name)
    if (fault !== undefined) passed.set("x-simulate-fault", fault)
    const url = this.#simulatorUrl + path
    return soundResponse(await fetch(url, { method, headers: passed, body: new Uint8Array(body) }))
  }
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", resolve)
  })
}

/**
 * Performs one step.
 * @returns whether the connection is still open.
 */
async function take(socket: Socket, step: Step): Promise<boolean> {
  if (socket.destroyed) return false
  if (step === "reset") {
    socket.resetAndDestroy()
    return false
  }
  if (step === "close") {
    socket.end()
    return false
  }
  if (typeof step === "object" && "wait" in step) await pause(socket, step.wait)
  else if (!socket.write(step)) await drained(socket)
  return !socket.destroyed
}

/** Waits for the given time, or until the connection has ended. */
function pause(socket: Socket, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      socket.off("close", end)
      resolve()
    }
    const timer = Number.isFinite(milliseconds) ? setTimeout(end, milliseconds) : undefined
    socket.once("close", end)
  })
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      socket.off("drain", end)
      socket.off("close", end)
      resolve()
    }
    socket.once("drain", end)
    socket.once("close", end)
  })
}
