import type { MaybePromise } from "../../canon/maybe-promise.ts"
import { totalInput, totalOutput, type Usage } from "../../canon/usage.ts"
import { addTighter } from "../../limits/headers.ts"
import type { Rates } from "../../limits/rates.ts"
import type { Call } from "../request/call.ts"

/**
 * Counts a request in the rate limits of its key and its account. The request is counted once for all of its operations
 * and admissions.
 */
export class RateUsage {
  /**
   * The `x-ratelimit-*` headers of the answer, for configured limits. If two limits apply, the stricter one is
   * reported.
   */
  readonly headers: Record<string, string> = {}
  readonly #limiter: Rates
  readonly #call: Call
  #isCounted: boolean
  #tokens = 0

  /**
   * @param isCounted whether another operation has already counted the request. In that case, only tokens are counted.
   */
  constructor(limiter: Rates, call: Call, isCounted = false) {
    this.#limiter = limiter
    this.#call = call
    this.#isCounted = isCounted
  }

  /**
   * Counts the request, unless it has already been counted, and the tokens that it may use.
   * @param tokens an estimate, which `correct` replaces later.
   * @returns a promise if counting must wait for the database.
   * @throws GatewayError `request_rate_exceeded`, `token_rate_exceeded`. No tokens are then counted, and nothing counts
   * towards the account's limits.
   */
  count(tokens: number): Promise<void> | undefined {
    const { key } = this.#call
    const { requestsPerMinute, tokensPerMinute } = key
    const requests = this.#isCounted ? undefined : requestsPerMinute
    const limits = { requestsPerMinute: requests, tokensPerMinute, tokens }
    const headers = this.#limiter.check(key.id, limits)
    const { together } = key
    if (headers instanceof Promise || together !== undefined) return this.#countAll(tokens, headers)
    this.#counted(tokens, headers)
    return undefined
  }

  async #countAll(tokens: number, own: MaybePromise<Record<string, string>>): Promise<void> {
    const { id } = this.#call.key
    const headers = await own
    try {
      addTighter(headers, await this.#checkShared(tokens))
    } catch (error) {
      // Only the tokens are returned. The request itself still counts towards the limit of the key.
      this.#limiter.adjust(id, -tokens)
      throw error
    }
    this.#counted(tokens, headers)
  }

  #checkShared(tokens: number): MaybePromise<Record<string, string>> {
    const { account, together } = this.#call.key
    if (!together) return {}
    const { requestsPerMinute, tokensPerMinute } = together
    const requests = this.#isCounted ? undefined : requestsPerMinute
    const limits = { requestsPerMinute: requests, tokensPerMinute, tokens }
    return this.#limiter.check(account, { ...limits, whose: "this account" })
  }

  #counted(tokens: number, headers: Record<string, string>): void {
    Object.assign(this.headers, headers)
    this.#isCounted = true
    this.#tokens = tokens
  }

  /** Replaces the estimate if the request differs from the estimate of its body. It never rejects the request. */
  estimate(tokens: number): void {
    this.#adjust(tokens - this.#tokens, 0)
    this.#tokens = tokens
  }

  /** Replaces the counted tokens by the tokens that were actually used. */
  correct(usage: Usage): void {
    const { key, startedAt } = this.#call
    if (key.tokensPerMinute === undefined && key.together?.tokensPerMinute === undefined) return
    const used = totalInput(usage) + totalOutput(usage)
    this.#adjust(used - this.#tokens, performance.now() - startedAt)
    this.#tokens = used
  }

  #adjust(delta: number, heldFor: number): void {
    const { id, account, tokensPerMinute, together } = this.#call.key
    if (tokensPerMinute !== undefined) this.#limiter.adjust(id, delta, heldFor)
    if (together?.tokensPerMinute !== undefined) this.#limiter.adjust(account, delta, heldFor)
  }
}

/** Estimates the tokens of a chat from its size. Four bytes of JSON are about one token. */
export function expectedTokens(call: Call): number {
  return call.isEstimate ? 0 : Math.ceil(call.bodyBytes / 4)
}
