import { KeptState } from "./anthropic-messages/kept-state.ts"
import type { SimulatedCost } from "./costs/simulated-costs.ts"
import { FlakyCounters } from "./faults.ts"
import type { Json } from "./json.ts"
import { MarkedCache } from "./marked-cache.ts"
import { StoredResponses } from "./openai-responses/stored-responses.ts"
import { PromptCache } from "./prompt-cache.ts"
import { RecordedRequest, RequestLog } from "./request-log.ts"

/** The state of one simulator between requests. */
export class SimulatorState {
  /** Milliseconds between tokens, unless a request has its own value. */
  readonly cadence: number
  readonly log = new RequestLog()
  readonly flaky = new FlakyCounters()
  readonly promptCache = new PromptCache()
  readonly markedCache = new MarkedCache()
  readonly storedResponses = new StoredResponses()
  readonly keptMessages = new KeptState()
  /** Costs that the cost APIs report. */
  readonly costs: SimulatedCost[] = []
  /** Requests that are currently being answered. */
  readonly open = new Set<Exchange>()

  constructor(cadence: number) {
    this.cadence = cadence
  }
}

/** One request during its processing. */
export class Exchange {
  readonly request: Request
  readonly headers: Headers
  readonly method: string
  /** The path without the prefix of the simulated vendor. */
  readonly path: string
  /** The path as requested, which is part of signatures. */
  readonly address: string
  /**
   * The simulated vendor, which determines the limits of its models. Undefined means the vendor
   * that defined the format, without limits.
   */
  readonly vendor: string | undefined
  readonly state: SimulatorState
  readonly record: RecordedRequest
  /** The body as received; empty until it is read. It is part of signatures. */
  bodyText = ""
  #wake: (() => void) | undefined
  #gone = false

  constructor(request: Request, path: string, state: SimulatorState, vendor?: string) {
    this.request = request
    this.headers = request.headers
    this.method = request.method
    this.path = path
    this.address = vendor === undefined ? path : `/vendors/${vendor}${path}`
    this.vendor = vendor
    this.state = state
    this.record = new RecordedRequest(this.method, path, this.headers)
    state.log.add(this.record)
    state.open.add(this)
  }

  /** Whether the client has disconnected or the simulator is stopping, so that nothing more needs to be written. */
  get gone(): boolean {
    return this.#gone
  }

  /** Milliseconds between tokens of this response. */
  get cadence(): number {
    const asked = Number(this.headers.get("x-simulate-cadence") ?? Number.NaN)
    return asked >= 0 ? asked : this.state.cadence
  }

  /** Reads and logs the body as JSON. Returns undefined if the body is not JSON or the client has disconnected. */
  async readBody(): Promise<Json | undefined> {
    try {
      this.bodyText = await this.request.text()
    } catch {
      this.abort()
      return undefined
    }
    const text = this.bodyText
    let body: Json | undefined
    try {
      body = JSON.parse(text) as Json
    } catch {
      body = undefined
    }
    this.state.log.keepBody(this.record, body, text.length)
    return body
  }

  /** Resolves after the given time, or as soon as the client disconnects. */
  wait(milliseconds: number): Promise<void> {
    if (this.#gone || milliseconds <= 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = Number.isFinite(milliseconds)
        ? setTimeout(() => this.#wake?.(), milliseconds)
        : undefined
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
    })
  }

  /**
   * Watches for a disconnect while no stream is running. It needs an abort signal for each request, so it is used only
   * for slow responses.
   */
  watch(): void {
    this.request.signal.addEventListener("abort", () => this.abort(), { once: true })
  }

  /** Records that the client disconnected. */
  abort(): void {
    this.#end("aborted")
  }

  /** Records that the response was written completely. */
  finish(): void {
    this.#end("finished")
  }

  /** Records that the response was cut off on purpose. */
  breakOff(): void {
    this.#end("broken")
  }

  #end(how: "finished" | "aborted" | "broken"): void {
    if (!this.record.end(how)) return
    this.#gone = how !== "finished"
    this.state.open.delete(this)
    this.#wake?.()
  }
}
