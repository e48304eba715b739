import type { ChatRequest } from "../../canon/chat.ts"
import type { ClientDialect } from "../../canon/dialect.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { Place } from "../../canon/linked-list.ts"
import { NO_USAGE, totalInput, totalOutput, type Usage } from "../../canon/usage.ts"
import type { Catalog } from "../../catalog/catalog.ts"
import type { Model } from "../../catalog/model.ts"
import type { DeadlineSettings, Disconnect } from "../../config/settings.ts"
import type { RateLimiter } from "../../limits/rate-limiter.ts"
import type { MediaLimits } from "../../media/fetch-media.ts"
import type { Health } from "../../routing/health.ts"
import type { HttpClient } from "../../wire/http/client.ts"
import type { Bill } from "../billing/bill.ts"
import type { Billing } from "../billing/billing.ts"
import type { Call, Caller, ChatCall } from "./call.ts"
import type { Contents } from "./contents.ts"
import type { Conversations, Keeping } from "../chat/conversations.ts"
import type { DeadlineWatch, Watched } from "./deadline-watch.ts"
import type { Endpoint } from "../upstream/provider-client.ts"
import type { Seal } from "../chat/reasoning-envelope.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import type { Attempt, Target } from "../upstream/attempt.ts"
import type { VendorState } from "../state/vendor-state.ts"

/** What changes when the settings do; replaced as a whole. */
export interface Surroundings {
  readonly catalog: Catalog
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly deadlines: DeadlineSettings
  /** The largest whole answer of an upstream that is read. Bytes. */
  readonly answerBytes: number
  readonly disconnect: Disconnect
  /** Milliseconds. */
  readonly disconnectLimit: number
  readonly media: MediaLimits
  /** Whether a request may name what a vendor keeps for nobody knows whom. */
  readonly passesUnknownState: boolean
  /** The image model of requests that name none. */
  readonly imageModel?: string
  /** Whether what a vendor bills and has no price here is passed on all the same. */
  readonly passesUnpriced: boolean
  /** The chat model that translates what a transcribing model cannot. */
  readonly translationModel?: string
}

/** What the operator hears of. */
export interface RelayAlarms {
  attemptFailed(request: string, deployment: string, outcome: string): void
  /** A priced answer for which no usage is known. */
  usageMissing(request: string, deployment: string): void
  /** A request was passed on with something that its vendor bills and that has no price here. */
  unpricedPassed(request: string, deployment: string, places: readonly string[]): void
  /** A vendor counts something that is charged to nobody: once for each name and deployment. */
  usageUncharged(request: string, deployment: string, name: string): void
  /** A request failed for a reason of our own. */
  requestFailed(request: string, error: unknown): void
}

export interface RelayServices {
  readonly surroundings: () => Surroundings
  readonly client: HttpClient
  readonly billing: Billing
  readonly limiter: RateLimiter
  readonly health: Health
  readonly watch: DeadlineWatch
  readonly alarms: RelayAlarms
  readonly seal: Seal
  readonly counter: TokenCounter
  readonly contents: Contents
  readonly vendorState: VendorState
  readonly conversations: Conversations
  /** A silent stream gets a comment this often, milliseconds. */
  readonly keepAlive: number
}

/** Most answers are over before it is worth asking whether their caller is still there. Milliseconds. */
const ASK_AFTER = 50

/**
 * What a caller who leaves pulls at. The server keeps it until it forgets the connection, so it holds
 * the running upstream calls and nothing else of the request.
 */
export class Leash implements Watched, Disposable {
  readonly attempts: Attempt<Target>[] = []
  readonly work: number
  #hasLeft = false
  dueAt = performance.now() + ASK_AFTER
  place: Place<Watched> | undefined = undefined
  readonly #watch: DeadlineWatch
  readonly #drainTime: number | undefined
  #caller: Caller | undefined
  /** Told when the caller has left and the answer is to be read on. */
  onLeave: (() => void) | undefined

  /**
   * @param work what the watch's pulse calls the request.
   * @param drainTime milliseconds for which an answer is read on when its caller has left; undefined: it
   * is ended.
   */
  constructor(caller: Caller, watch: DeadlineWatch, work: number, drainTime: number | undefined) {
    this.#caller = caller
    this.work = work
    this.#watch = watch
    this.#drainTime = drainTime
    watch.add(this)
  }

  onDue(): void {
    // It was read on for as long as it may be.
    if (this.#hasLeft) return this.end(CALLER_LEFT)
    const signal = this.#caller?.signal
    this.#stopAsking()
    if (signal?.aborted) this.leave()
    else signal?.addEventListener("abort", () => this.leave())
  }

  /** Whether what runs upstream is to be read on when the caller leaves. */
  get drains(): boolean {
    return this.#drainTime !== undefined && this.attempts.length > 0
  }

  /** The caller has left. */
  leave(): void {
    if (this.#hasLeft) return
    if (!this.drains) return this.end(CALLER_LEFT)
    this.#hasLeft = true
    this.#stopAsking()
    this.dueAt = performance.now() + (this.#drainTime ?? 0)
    this.#watch.add(this)
    this.onLeave?.()
  }

  /** Whether the caller is known to have left. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** Ends what runs upstream. */
  end(reason: GatewayError): void {
    if (reason === CALLER_LEFT) this.#hasLeft = true
    this.#stopAsking()
    for (const attempt of this.attempts) {
      attempt.end(reason)
      attempt[Symbol.dispose]()
    }
  }

  /** The answer is over. */
  [Symbol.dispose](): void {
    this.#stopAsking()
    this.onLeave = undefined
    this.attempts.length = 0
  }

  #stopAsking(): void {
    this.#caller = undefined
    this.#watch.remove(this)
  }
}

/** How long answers of a model are read on whose callers have left; undefined: they are cancelled. */
export function drainTimeOf(surroundings: Surroundings, model: Model): number | undefined {
  const { disconnect, disconnectLimit } = surroundings
  return (model.disconnect ?? disconnect) === "drain" ? disconnectLimit : undefined
}

/** One request being served: what its paths share. */
export interface Exchange {
  readonly call: ChatCall
  readonly dialect: ClientDialect
  readonly request: ChatRequest
  readonly bill: Bill
  readonly seal: Seal
  /** Those the request began with: settings that change meanwhile are not its own. */
  readonly surroundings: Surroundings
  /** Headers of the answer, as they become known. */
  readonly headers: Record<string, string>
  readonly leash: Leash
  /** Set where the answer is to be kept for its account. */
  readonly keeping?: Keeping | undefined
}

/** Why an upstream call ends when nobody waits for its answer any more. */
export const CALLER_LEFT = new GatewayError("upstream_error", "The caller has left.")

/** Why one of several calls of a request ends when another has failed. */
export const NOT_NEEDED = new GatewayError("upstream_error", "Another call of this request failed.")

/** Why an upstream call ends whose caller has all of the answer that was asked for. */
export const ANSWER_OVER = new GatewayError("upstream_error", "The answer is over.")

/** Why an answer ends when the gateway does and has waited for it as long as it may. */
export const SHUTTING_DOWN = new GatewayError(
  "overloaded",
  "This gateway is shutting down and could not finish the answer. Send the request again.",
  { retryAfter: 1 },
)

/** Whether no other deployment is to be tried: nobody waits for it, or nothing may wait. */
export function isFinal(failure: GatewayError): boolean {
  return (
    failure === CALLER_LEFT ||
    failure === SHUTTING_DOWN ||
    // Nobody else's answer would find more memory here.
    failure.kind === "overloaded"
  )
}

/** Before the vendor has counted: four bytes of JSON are about a token. */
export function estimatedTokens(call: Call): number {
  return call.isEstimate ? 0 : Math.ceil(call.bodyBytes / 4)
}

/** Once the real usage is known, the key's rate of tokens is put right. */
export function correctRate(limiter: RateLimiter, call: Call, usage: Usage): void {
  if (call.key.tokensPerMinute === undefined) return
  const difference = totalInput(usage) + totalOutput(usage) - estimatedTokens(call)
  limiter.adjust(call.key.id, difference, performance.now() - call.startedAt)
}

/** Ends a request that delivered nothing: no money, no tokens of its key's rate. */
export function giveUp(services: RelayServices, exchange: Exchange): void {
  services.billing.release(exchange.bill)
  services.contents.keep(exchange.call, exchange.call.body)
  correctRate(services.limiter, exchange.call, NO_USAGE)
}
