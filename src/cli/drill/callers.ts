/** The result of one request, as its caller saw it. */
export interface CallerResult {
  /** The request id; null if no response started. */
  readonly requestId: string | null
  /**
   * `cut`: a response started but did not end. `rejected`: an error response. `unreachable`: no node
   * responded.
   */
  readonly outcome: "whole" | "cut" | "rejected" | "unreachable"
  /** The error code of a rejected request. */
  readonly code?: string
}

/** The requests of the callers. */
export interface CallerPlan {
  readonly key: string
  readonly model: string
  readonly callers: number
  /** Returns the addresses that currently accept connections. */
  readonly addresses: () => readonly string[]
}

const REQUEST_TIMEOUT_MS = 60_000
const REQUEST_INTERVAL_MS = 50
/** Maximum tokens of a response. Responses must be long enough that the drill can end a node while it sends one. */
const MAX_TOKENS = 60
const QUESTION = "Count from one to thirty in words."

/** Callers that send one request after another, both streamed and not streamed. */
export class DrillCallers {
  readonly results: CallerResult[] = []
  readonly #plan: CallerPlan
  #working: Promise<unknown> = Promise.resolve()
  #isOver = false

  constructor(plan: CallerPlan) {
    this.#plan = plan
  }

  start(): void {
    const callers = Array.from({ length: this.#plan.callers }, (_, index) => this.#work(index))
    this.#working = Promise.all(callers)
  }

  /** Stops the callers. Resolves when all requests have ended. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#working
  }

  async #work(index: number): Promise<void> {
    for (let count = index; !this.#isOver; count++) {
      const addresses = this.#plan.addresses()
      const address = addresses[count % Math.max(1, addresses.length)]
      if (address !== undefined) this.results.push(await this.#send(address, count % 2 === 0))
      await Bun.sleep(REQUEST_INTERVAL_MS)
    }
  }

  async #send(address: string, isStreamed: boolean): Promise<CallerResult> {
    const { key, model } = this.#plan
    const body = {
      model,
      stream: isStreamed,
      max_tokens: MAX_TOKENS,
      messages: [{ role: "user", content: QUESTION }],
    }
    let requestId: string | null = null
    try {
      const response = await fetch(`${address}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        keepalive: false,
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      })
      requestId = response.headers.get("x-request-id")
      const text = await response.text()
      if (!response.ok) return { requestId, outcome: "rejected", code: codeOf(text) }
      const isWhole = isStreamed ? text.includes("data: [DONE]") : isDocument(text)
      return { requestId, outcome: isWhole ? "whole" : "cut" }
    } catch {
      return { requestId, outcome: requestId === null ? "unreachable" : "cut" }
    }
  }
}

function codeOf(text: string): string {
  return /"error_type":"(\w+)"/.exec(text)?.[1] ?? "unknown"
}

function isDocument(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}
