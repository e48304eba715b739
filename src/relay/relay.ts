import type { ChatRequest } from "../canon/chat.ts"
import type { ChatDialect } from "../canon/dialect.ts"
import { NO_USAGE } from "../canon/usage.ts"
import type { Model } from "../catalog/model.ts"
import type { Bill } from "./billing.ts"
import type { Answer, Call } from "./call.ts"
import {
  CALLER_LEFT,
  correctRate,
  estimatedTokens,
  type Exchange,
  type Leash,
  type RelayServices,
} from "./exchange.ts"
import { streamVerbatim } from "./stream-answer.ts"
import { answerVerbatim } from "./whole-answer.ts"

/** The one pipeline: decode, limit, hold, route, attempt, meter, settle. */
export class Relay {
  readonly #services: RelayServices

  constructor(services: RelayServices) {
    this.#services = services
  }

  /**
   * Serves one chat request.
   * @throws GatewayError for everything that fails before the answer begins; then nothing is held.
   */
  async chat(dialect: ChatDialect, call: Call): Promise<Answer> {
    const { limiter } = this.#services
    const surroundings = this.#services.surroundings()
    const { key } = call
    const request = dialect.decodeRequest(call.body)
    const model = surroundings.catalog.require(request.model, "chat", key.allows)
    const headers = limiter.check(key.id, {
      requestsPerMinute: key.requestsPerMinute,
      tokensPerMinute: key.tokensPerMinute,
      tokens: estimatedTokens(call),
    })
    const bill = await this.#hold(call, request, model)
    if (bill.clampedTo !== undefined) headers["x-tollgate-max-tokens"] = String(bill.clampedTo)
    const leash: Leash = { attempt: undefined }
    const exchange: Exchange = {
      call,
      dialect,
      request,
      bill,
      surroundings,
      headers,
      leash,
    }
    call.signal.addEventListener("abort", () => leash.attempt?.end(CALLER_LEFT))
    return request.stream
      ? streamVerbatim(this.#services, exchange)
      : answerVerbatim(this.#services, exchange)
  }

  /** Sets the worst case aside. Without money the request has used no tokens of its key's rate either. */
  async #hold(call: Call, request: ChatRequest, model: Model): Promise<Bill> {
    const { billing, limiter } = this.#services
    try {
      const admitted = billing.admit(call, request, model)
      return admitted instanceof Promise ? await admitted : admitted
    } catch (error) {
      correctRate(limiter, call, NO_USAGE)
      throw error
    }
  }
}
