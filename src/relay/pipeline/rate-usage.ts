import { totalInput, totalOutput, type Usage } from "../../canon/usage.ts"
import type { Rates } from "../../limits/rates.ts"
import type { Call } from "./call.ts"

/** What one request uses of its key's rates, however many operations it takes and however often it is admitted. */
export class RateUsage {
  /** The `x-ratelimit-*` headers of its answer, for the limits that are set. */
  readonly headers: Record<string, string> = {}
  readonly #limiter: Rates
  readonly #call: Call
  #isCounted: boolean
  #tokens = 0

  /** @param isCounted whether the request has been counted by another operation of it: only tokens are then. */
  constructor(limiter: Rates, call: Call, isCounted = false) {
    this.#limiter = limiter
    this.#call = call
    this.#isCounted = isCounted
  }

  /**
   * Counts the request, if that has not been done, and the tokens that it may use.
   * @param tokens an estimate; `correct` replaces it.
   * @returns a promise where that has to wait for the database.
   * @throws GatewayError `concurrent_requests_exceeded`, `request_rate_exceeded`, `token_rate_exceeded`; then nothing is
   * counted.
   */
  count(tokens: number): Promise<void> | undefined {
    const { id, requestsPerMinute, tokensPerMinute, concurrentRequests } = this.#call.key
    if (concurrentRequests !== undefined && !this.#isCounted) {
      // It runs for as long as it holds memory, however it ends.
      this.#call.memory.defer(this.#limiter.enter(id, concurrentRequests))
    }
    const requests = this.#isCounted ? undefined : requestsPerMinute
    const limits = { requestsPerMinute: requests, tokensPerMinute, tokens }
    const headers = this.#limiter.check(id, limits)
    if (headers instanceof Promise) return headers.then((later) => this.#counted(tokens, later))
    this.#counted(tokens, headers)
    return undefined
  }

  #counted(tokens: number, headers: Record<string, string>): void {
    Object.assign(this.headers, headers)
    this.#isCounted = true
    this.#tokens = tokens
  }

  /** Replaces the estimate, where a request turns out to be another than its body. It is not refused for that. */
  estimate(tokens: number): void {
    this.#limiter.adjust(this.#call.key.id, tokens - this.#tokens)
    this.#tokens = tokens
  }

  /** Replaces the tokens that were counted by those that were really used. */
  correct(usage: Usage): void {
    const { key, startedAt } = this.#call
    if (key.tokensPerMinute === undefined) return
    const used = totalInput(usage) + totalOutput(usage)
    this.#limiter.adjust(key.id, used - this.#tokens, performance.now() - startedAt)
    this.#tokens = used
  }
}
