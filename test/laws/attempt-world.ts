import type { UpstreamDialect } from "../../src/canon/dialect.ts"
import { MemoryBudget } from "../../src/limits/memory-budget.ts"
import type { Plan } from "../../src/relay/chat/plan.ts"
import { DeadlineWatch } from "../../src/relay/lifetime/deadline-watch.ts"
import { Attempt } from "../../src/relay/upstream/attempt.ts"
import { Load } from "../../src/routing/loads.ts"
import type { HttpResponse } from "../../src/wire/http/response.ts"
import { HttpClient } from "../../src/wire/http/client.ts"
import type { ChatRequest } from "../../src/canon/chat.ts"

/** Maximum size of a response and of the memory for it, in bytes. */
const RESPONSE_BYTES = 1 << 28
const LONG_MS = 60_000
const TIMEOUTS = { connect: LONG_MS, firstByte: LONG_MS, idle: LONG_MS, total: LONG_MS }

/** Makes upstream calls without a network. */
export class AttemptWorld implements Disposable {
  readonly #watch = new DeadlineWatch()

  /**
   * Runs a function with a call, then ends the call.
   * @param calls of its plan.
   */
  async with<Result>(
    dialect: UpstreamDialect,
    request: ChatRequest,
    run: (attempt: Attempt<Plan>) => Promise<Result>,
    calls = 1,
  ): Promise<Result> {
    const plan = {
      deployment: { id: request.model },
      client: { provider: "vendor", cleanedText: (text: string) => text },
      binding: { dialect },
      request,
      calls,
    } as unknown as Plan
    using memory = new MemoryBudget(RESPONSE_BYTES).open({ id: "key", account: "a" })
    using client = new HttpClient({})
    using attempt = new Attempt({
      plan,
      load: new Load(),
      begunAt: performance.now(),
      client,
      health: { accountFailed: () => false, ended() {}, failed() {} },
      alarms: { attemptFailed() {}, attemptEnded() {} },
      timeouts: TIMEOUTS,
      watch: this.#watch,
      isStream: true,
      request: "req_1",
      work: 0,
      responseBytes: RESPONSE_BYTES,
      memory,
    })
    return await run(attempt)
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]()
  }
}

/**
 * Returns a response.
 * @param next returns the next chunk, or undefined at the end.
 */
export function responseOf(type: string, next: () => Uint8Array | undefined): HttpResponse {
  const body: AsyncIterableIterator<Uint8Array> = {
    async next() {
      const value = next()
      return value === undefined ? { done: true, value: undefined } : { done: false, value }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
  const response = { header: () => type, takeWhole: () => undefined, body }
  return response as unknown as HttpResponse
}
