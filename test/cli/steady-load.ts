import { connect, type Socket } from "node:net"

/** Callers that send one request after another and accept only complete responses. */
export interface SteadyLoad {
  /** Number of complete responses so far. */
  readonly served: number
  /** The errors that callers received instead of responses. */
  readonly failures: readonly string[]
  /** Stops the callers after their current responses. */
  end(): Promise<void>
}

export interface LoadOptions {
  readonly url: string
  readonly key: string
  readonly model: string
  readonly callers: number
}

/**
 * Starts callers. Half of them open a connection for each request. The others keep their connections until a response
 * closes them. In both groups, half of the callers request streams.
 */
export function startLoad(options: LoadOptions): SteadyLoad {
  const load = { served: 0, failures: new Array<string>() }
  const ending = new AbortController()
  const running = Array.from({ length: options.callers }, async (_, index) => {
    const keeps = index % 2 === 0
    const request = requestOf(options, index % 4 < 2, keeps)
    let connection: Connection | undefined
    while (!ending.signal.aborted) {
      connection ??= new Connection(options.url)
      const { text, isLast } = await connection.ask(request)
      if (isWhole(text)) load.served++
      else load.failures.push(text)
      if (keeps && !isLast) continue
      connection.close()
      connection = undefined
    }
    connection?.close()
  })
  return Object.assign(load, {
    async end() {
      ending.abort()
      await Promise.all(running)
    },
  })
}

function requestOf({ key, model }: LoadOptions, isStreamed: boolean, keeps: boolean): string {
  const body = JSON.stringify({
    model,
    messages: [{ role: "user", content: "Hello there" }],
    stream: isStreamed,
  })
  return [
    "POST /v1/chat/completions HTTP/1.1",
    "host: gateway",
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    `connection: ${keeps ? "keep-alive" : "close"}`,
    "",
    body,
  ].join("\r\n")
}

function isWhole(text: string): boolean {
  return text.startsWith("HTTP/1.1 200") && /\[DONE\]|"finish_reason":"stop"/.test(text)
}

interface ResponseBody {
  readonly text: string
  /** Whether the connection will not be used again. */
  readonly isLast: boolean
}

class Connection {
  readonly #socket: Socket
  #text = ""
  #fault = "closed"
  #onChange: () => void = () => undefined

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#socket = connect(Number(port), hostname)
    this.#socket.on("data", (bytes: Buffer) => {
      this.#text += bytes.toString("latin1")
      this.#onChange()
    })
    this.#socket.on("error", (error) => {
      this.#fault = String(error)
    })
    this.#socket.on("close", () => this.#onChange())
  }

  ask(request: string): Promise<ResponseBody> {
    this.#text = ""
    this.#socket.write(request)
    const { promise, resolve } = Promise.withResolvers<ResponseBody>()
    this.#onChange = () => {
      if (isComplete(this.#text)) {
        resolve({ text: this.#text, isLast: /^connection: close/im.test(this.#text) })
      } else if (this.#socket.closed) {
        resolve({ text: `${this.#fault}: ${this.#text}`, isLast: true })
      }
    }
    return promise
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** Whether an HTTP message is complete. */
function isComplete(text: string): boolean {
  const start = text.indexOf("\r\n\r\n")
  if (start === -1) return false
  const length = /^content-length: (\d+)/im.exec(text.slice(0, start))?.[1]
  if (length !== undefined) return text.length - start - 4 >= Number(length)
  return text.endsWith("\r\n0\r\n\r\n")
}
