import type { Json } from "./json.ts"
import type { CountedUsage } from "./usage.ts"

const MAX_REQUESTS = 1000
const MAX_BYTES = 64 * 1024 * 1024

/** A received request, and the outcome of its answer. */
export class RecordedRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** The parsed JSON body; undefined if it is missing or not JSON. */
  body: Json | undefined = undefined
  /** Length of the body's text, in UTF-16 units. */
  bodyLength = 0
  /** The reported usage of a successful chat in OpenAI's format. */
  usage: CountedUsage | undefined = undefined
  /** Whether the log has dropped it: a body that is read later must not be counted as stored. */
  forgotten = false
  /** Whether the client disconnected before the answer was complete. */
  aborted = false
  /** Whether the answer was written completely. Stays false if a fault broke it off. */
  finished = false
  readonly #headers: Headers
  #ended = false
  readonly #waiting: (() => void)[] = []

  constructor(method: string, path: string, headers: Headers) {
    this.method = method
    this.path = path
    this.#headers = headers
  }

  /** The request's headers, names in lower case. */
  get headers(): Record<string, string> {
    return Object.fromEntries(this.#headers)
  }

  /** Resolves when the answer has ended: finished, broken off by a fault, or aborted. */
  settled(): Promise<void> {
    if (this.#ended) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Marks the answer as ended. Only the first call counts; it returns true. */
  end(how: "finished" | "aborted" | "broken"): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.finished = how === "finished"
    this.aborted = how === "aborted"
    for (const resolve of this.#waiting.splice(0)) resolve()
    return true
  }
}

/** The last requests, bounded in number and in memory. */
export class RequestLog {
  readonly requests: RecordedRequest[] = []
  #bytes = 0

  /** Adds a request whose body is not read yet. */
  add(request: RecordedRequest): void {
    this.requests.push(request)
    if (this.requests.length > MAX_REQUESTS) this.#forgetOldest()
  }

  /** Gives a request its body, and drops the oldest requests if there is too much to store. */
  keepBody(request: RecordedRequest, body: Json | undefined, length: number): void {
    request.body = body
    request.bodyLength = length
    if (request.forgotten) return
    this.#bytes += length
    while (this.#bytes > MAX_BYTES && this.requests.length > 1) this.#forgetOldest()
  }

  #forgetOldest(): void {
    const oldest = this.requests.shift()
    if (oldest === undefined) return
    oldest.forgotten = true
    this.#bytes -= oldest.bodyLength
  }
}
