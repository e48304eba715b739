import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http"
import type { AddressInfo } from "node:net"

/** A request of an agent, and the gateway's response. */
export interface Exchange {
  /** Milliseconds since the recorder was started. */
  readonly at: number
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** HTTP status; 0 if the agent disconnected before the response. */
  readonly status: number
  /** Losses, as in the header `x-tollgate-losses`. */
  readonly losses: readonly string[]
  readonly response: string
}

/** Headers that may contain a key. */
const SECRETS = new Set(["authorization", "x-api-key", "x-goog-api-key"])

/** A proxy between an agent and the gateway that records requests and responses. */
export class Recorder implements AsyncDisposable {
  readonly exchanges: Exchange[] = []
  readonly #gateway: URL
  readonly #server: Server
  readonly #begin = performance.now()

  private constructor(gateway: string) {
    this.#gateway = new URL(gateway)
    this.#server = createServer((incoming, outgoing) => void this.#pass(incoming, outgoing))
  }

  /** @param gateway the address of the gateway. */
  static async start(gateway: string): Promise<Recorder> {
    const recorder = new Recorder(gateway)
    const { promise, resolve } = Promise.withResolvers<void>()
    recorder.#server.listen(0, "127.0.0.1", resolve)
    await promise
    return recorder
  }

  /** The address that the agent calls. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    await promise
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const at = Math.round(performance.now() - this.#begin)
    const { method = "GET", url: path = "/", headers } = incoming
    const { hostname, port } = this.#gateway
    const chunks: Buffer[] = []
    let asked: Buffer = Buffer.alloc(0)
    let response: IncomingMessage | undefined
    try {
      asked = await bytesOf(incoming)
      const call = request({ hostname, port, method, path, headers })
      outgoing.on("close", () => call.destroy())
      call.end(asked)
      response = await responseTo(call)
      outgoing.writeHead(response.statusCode ?? 0, response.headers)
      for await (const chunk of response) {
        chunks.push(chunk)
        outgoing.write(chunk)
      }
      outgoing.end()
    } catch {
      // If one side disconnects, the other is disconnected too.
      outgoing.destroy()
    }
    this.exchanges.push({
      at,
      method,
      path,
      headers: withoutSecrets(headers),
      body: asked.toString(),
      status: response?.statusCode ?? 0,
      losses: `${response?.headers["x-tollgate-losses"] ?? ""}`.split(", ").filter(Boolean),
      response: Buffer.concat(chunks).toString(),
    })
  }
}

function responseTo(call: ReturnType<typeof request>): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  call.on("response", resolve)
  call.on("error", reject)
  return promise
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function withoutSecrets(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRETS.has(name) ? "a key" : `${value}`,
    ]),
  )
}
