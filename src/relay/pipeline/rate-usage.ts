import type { MaybePromise } from "../../canon/maybe-promise.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import { totalInput, totalOutput, type Usage } from "../../canon/usage.ts"
import type { Model } from "../../catalog/model.ts"
import { MAX_DEBT_MINUTES } from "../../limits/bucket.ts"
import { addTighter } from "../../limits/headers.ts"
import type { Rates } from "../../limits/rates.ts"
import { longestResponse } from "../billing/bounds.ts"
import type { Call } from "../request/call.ts"

/** Output tokens that are expected of a choice if the request sets no maximum. Usual responses are shorter. */
const ASSUMED_OUTPUT = 4_096

/** The tokens that a request is expected to use. */
export interface ExpectedTokens {
  readonly input: number
  /** The maximum output, which is reserved until the actual output is known. */
  readonly output: number
}

/** Tokens in the limits of a key and of its account. */
interface LimitedTokens {
  readonly key: number
  readonly account: number
}

const NO_TOKENS: LimitedTokens = { key: 0, account: 0 }

/**
 * Counts a request in the rate limits of its key and its account. The request is counted once for all of its operations
 * and admissions.
 */
export class RateUsage {
  /**
   * The `x-ratelimit-*` headers of the response, for configured limits. If two limits apply, the stricter one is
   * reported.
   */
  readonly headers: Record<string, string> = {}
  readonly #limiter: Rates
  readonly #call: Call
  #isCounted: boolean
  #reserved = NO_TOKENS
  /** When the tokens were reserved, in monotonic milliseconds. */
  #reservedAt = 0
  /** Tokens that are counted as used. */
  #used = 0

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
   * @param expected an estimate, which `correct` replaces later.
   * @returns a promise if counting must wait for the database.
   * @throws GatewayError `request_rate_exceeded`, `token_rate_exceeded`. No tokens are then counted, and nothing counts
   * towards the account's limits.
   */
  count(expected: ExpectedTokens): Promise<void> | undefined {
    const { key } = this.#call
    const { requestsPerMinute, tokensPerMinute } = key
    const tokens = this.#inAdvance(expected)
    const requests = this.#isCounted ? undefined : requestsPerMinute
    const limits = { requestsPerMinute: requests, tokensPerMinute, tokens: tokens.key }
    const headers = this.#limiter.check(key.id, limits)
    const { together } = key
    if (headers instanceof Promise || together !== undefined) return this.#countAll(tokens, headers)
    this.#counted(tokens, headers)
    return undefined
  }

  async #countAll(tokens: LimitedTokens, own: MaybePromise<Record<string, string>>): Promise<void> {
    const { id } = this.#call.key
    const headers = await own
    try {
      addTighter(headers, await this.#checkShared(tokens.account))
    } catch (error) {
      // Only the tokens are returned. The request itself still counts towards the limit of the key.
      this.#limiter.settle(id, { reserved: tokens.key, used: 0, heldMs: 0 })
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

  #counted(tokens: LimitedTokens, headers: Record<string, string>): void {
    Object.assign(this.headers, headers)
    this.#isCounted = true
    this.#reserved = tokens
    this.#reservedAt = performance.now()
  }

  /** Replaces the estimate if the request differs from the estimate of its body. It never rejects the request. */
  estimate(expected: ExpectedTokens): void {
    const { id, account, tokensPerMinute, together } = this.#call.key
    const before = this.#reserved
    const after = this.#inAdvance(expected)
    this.#reserved = after
    if (tokensPerMinute !== undefined) {
      this.#limiter.resize(id, tokensPerMinute, before.key, after.key)
    }
    if (together?.tokensPerMinute !== undefined) {
      this.#limiter.resize(account, together.tokensPerMinute, before.account, after.account)
    }
  }

  /** Replaces the reserved tokens with the tokens that were actually used. */
  correct(usage: Usage): void {
    const { id, account, tokensPerMinute, together } = this.#call.key
    const reserved = this.#reserved
    const total = totalInput(usage) + totalOutput(usage)
    const used = total - this.#used
    const heldMs = performance.now() - this.#reservedAt
    this.#reserved = NO_TOKENS
    this.#used = total
    if (tokensPerMinute !== undefined) {
      this.#limiter.settle(id, { reserved: reserved.key, used, heldMs })
    }
    if (together?.tokensPerMinute !== undefined) {
      this.#limiter.settle(account, { reserved: reserved.account, used, heldMs })
    }
  }

  #inAdvance(expected: ExpectedTokens): LimitedTokens {
    const { tokensPerMinute, together } = this.#call.key
    return {
      key: countedInAdvance(expected, tokensPerMinute),
      account: countedInAdvance(expected, together?.tokensPerMinute),
    }
  }
}

/**
 * Returns the tokens to count before a request runs. Output above the per-minute limit is not reserved. Such a request
 * runs alone, and the correction counts its excess.
 */
function countedInAdvance({ input, output }: ExpectedTokens, limit = Infinity): number {
  return Math.min(input + Math.min(output, limit), limit * MAX_DEBT_MINUTES)
}

/**
 * Estimates the tokens of a chat. Four bytes of JSON are about one token of input. The output is the requested maximum.
 */
export function expectedTokens(
  call: Call,
  request: Pick<ChatRequest, "maxTokens" | "choices">,
  model: Model,
): ExpectedTokens {
  if (call.isEstimate) return { input: 0, output: 0 }
  const longest = longestResponse(request, model)
  const output = request.maxTokens === undefined ? Math.min(longest, ASSUMED_OUTPUT) : longest
  return { input: Math.ceil(call.bodyBytes / 4), output: output * request.choices }
}
