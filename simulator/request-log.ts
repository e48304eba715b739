import type { Json } from "./json.ts"
import type { CountedUsage } from "./usage.ts"

const MAX_REQUESTS = 1000
const MAX_BYTES = 64 * 1024 * 1024

/** A received request, and the outcome of its response. */
export class RecordedRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** The parsed JSON body; undefined if it is missing or not JSON. */
  body: Json | undefined = undefined
  /** Length of the body's text in UTF-16 code units. */
  bodyLength = 0
  /** The reported usage of a successful chat in OpenAI's format. */
  usage: CountedUsage | undefined = undefined
  /** Whether the log has dropped the request. If its body is read later, the body is not counted as stored. */
  forgotten = false
  /** Whether the client disconnected before the response was complete. */
  aborted = false
  /** Whether the response was written completely. False if a fault cut it off. */
  finished = false
  readonly #headers: Headers
  #ended = false
  readonly #waiting: (() => void)[] = []

  constructor(method: string, path: string, headers: Headers) {
    this.method = method
    this.path = path
    this.#headers = headers
  }

  /** The request's headers by lowercase name. */
  get headers(): Record<string, string> {
    return Object.fromEntries(this.#headers)
  }

  /** Resolves when the response has ended, because it was finished, cut off by a fault, or aborted. */
  settled(): Promise<void> {
    if (this.#ended) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /**
   * Marks the response as ended. Only the first call has an effect.
   * @returns whether this was the first call.
   */
  end(how: "finished" | "aborted" | "broken"): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.finished = how === "finished"
    this.aborted = how === "aborted"
    for (const resolve of this.#waiting.splice(0)) resolve()
    return true
  }
}

/** The most recent requests, limited by number and by memory. */
export class RequestLog {
  readonly requests: RecordedRequest[] = []
  #bytes = 0

  /** Adds a request whose body has not been read yet. */
  add(request: RecordedRequest): void {
    this.requests.push(request)
    if (this.requests.length > MAX_REQUESTS) this.#forgetOldest()
  }

  /** Stores the body of a request, and drops the oldest requests if the log is too large. */
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
