import type { HttpAnswer } from "../../wire/http/answer.ts"
import type { Loss } from "../../canon/extra.ts"
import { asGatewayError, GatewayError } from "../../canon/errors.ts"
import type { FormFile } from "../../canon/form-file.ts"
import type { OperationCall } from "../../canon/operation.ts"
import { NO_USAGE, totalInput, type Usage } from "../../canon/usage.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import type { Settlement } from "../../ledger/hold.ts"
import { route } from "../../routing/route.ts"
import { addAnswerHeaders } from "../pipeline/answer-headers.ts"
import { notCarried } from "../chat/attempts.ts"
import type { Bill } from "../billing/bill.ts"
import type { Call, Caller } from "../pipeline/call.ts"
import {
  CALLER_LEFT,
  drainTimeOf,
  isFinal,
  Leash,
  NOT_NEEDED,
  type RelayServices,
} from "../pipeline/exchange.ts"
import { RateUsage } from "../pipeline/rate-usage.ts"
import type { RefusalReader } from "../upstream/refusal.ts"
import type { Attempt, Target } from "../upstream/attempt.ts"
import { SpeculativeCall } from "../upstream/speculative-call.ts"
import { makeCall } from "../upstream/upstream-call.ts"
import type { Admission } from "./operation-plan.ts"

/** Before the vendor has counted: worst cases are in bytes, of which four are about a token. */
const BYTES_OF_TOKEN = 4

/**
 * Does an operation at one deployment. What it throws sends the request to the next deployment, unless
 * it is the caller's own fault.
 */
export type AttemptAt<T> = (way: Way) => Promise<Outcome<T>>

/** What one deployment made of it. */
export interface Outcome<T> {
  readonly value: T
  readonly losses: readonly Loss[]
}

/** One deployment, and how to call it. */
export interface Way extends Target {
  /**
   * Makes one upstream call, and gives its answer once its status is good.
   * @param format whose refusals it would be.
   */
  call(call: OperationCall, format: RefusalReader): Promise<UpstreamAnswer>
  /** The same, and makes of the answer what is needed; what `use` throws is a failure of the call. */
  answer<Result>(
    call: OperationCall,
    format: RefusalReader,
    use: (attempt: Attempt<Target>, response: HttpAnswer) => Promise<Result>,
  ): Promise<Result>
}

/** An upstream's answer whose body is still to be read; the attempt knows its deadlines. */
export interface UpstreamAnswer {
  readonly attempt: Attempt<Target>
  readonly response: HttpAnswer
}

/** An operation whose upstream has answered, and whose money is still open. */
export interface OpenOperation<T> {
  readonly value: T
  readonly deployment: Deployment
  readonly provider: string
  readonly losses: readonly Loss[]
  /** Of the answer, as far as they are known. */
  readonly headers: Record<string, string>
  /**
   * Charges what was used; resolves when that is on disk, and completes `headers`.
   * @param estimated whether it is our own count.
   */
  settle(usage: Usage, estimated: boolean): Promise<Settlement>
  /** Ends it unpaid: nothing was delivered. */
  release(reason: GatewayError): void
}

/** What an admitted operation has: its money, and what ends it when its caller leaves. */
interface Admitted {
  readonly model: Model
  readonly bill: Bill
  readonly leash: Leash
}

/** One operation of a request: limited and held by `admit`, brought to an answer by `open`, or released. */
export class Operation {
  readonly #services: RelayServices
  readonly #call: Call
  readonly #caller: Caller
  readonly #rate: RateUsage
  #admitted: Admitted | undefined
  /** In the order in which they are tried; drawn when the first of them is looked at. */
  #route: readonly Deployment[] | undefined
  #speculative: SpeculativeCall | undefined

  /** @param isPart whether another operation has counted the request in its key's rates. */
  constructor(services: RelayServices, call: Call, caller: Caller, isPart = false) {
    this.#services = services
    this.#call = call
    this.#caller = caller
    this.#rate = new RateUsage(services.limiter, call, isPart)
  }

  /** Whether its worst case is held. */
  get isAdmitted(): boolean {
    return this.#admitted !== undefined
  }

  /**
   * Counts it in the key's rates and sets its worst case aside. Called again before it is opened, when the request
   * turns out to be another than it seemed: then it is held for that, and what was sent early is given up.
   * @throws GatewayError; then nothing more is held than was before.
   */
  async admit({ model, worst, isWhole }: Admission): Promise<void> {
    const { billing, watch, surroundings } = this.#services
    const { id, endpoint } = this.#call
    const before = this.#admitted
    this.#speculative?.giveUp()
    this.#route = undefined
    const work = watch.pulse.enter(id, endpoint, model.id)
    const bill = before
      ? await billing.revise(before.bill, model, worst)
      : await this.#hold(model, worst)
    before?.leash[Symbol.dispose]()
    const drainTime = isWhole ? drainTimeOf(surroundings(), model) : undefined
    const leash = new Leash(this.#caller, watch, work, drainTime)
    this.#admitted = { model, bill, leash }
  }

  async #hold(model: Model, worst: Usage): Promise<Bill> {
    this.#rate.count(Math.ceil(totalInput(worst) / BYTES_OF_TOKEN))
    try {
      return await this.#services.billing.admitUsage(this.#call, model, worst)
    } catch (error) {
      this.#rate.correct(NO_USAGE)
      throw error
    }
  }

  /** The deployment that is tried first. @throws when there is none. */
  get first(): Target {
    const { model } = this.#requireAdmitted()
    const { health } = this.#services
    const [first] = (this.#route ??= route(model, health))
    if (!first) throw noDeployment()
    return this.#targetOf(first)
  }

  /**
   * Makes the first call while the file in it is still arriving. `open` takes it over as if it had been made then;
   * should it fail before, nobody hears of it.
   * @param target the first one.
   */
  async speculate(target: Target, call: OperationCall, file: FormFile): Promise<void> {
    const request = await target.endpoint.operation(call)
    const sending = this.#services.client.send(request)
    this.#speculative = new SpeculativeCall(target.deployment, sending, file)
  }

  /**
   * Brings it to an upstream's answer. Called once.
   * @throws GatewayError; then nothing is held any more.
   */
  async open<T>(attempt: AttemptAt<T>): Promise<OpenOperation<T>> {
    const admitted = this.#requireAdmitted()
    try {
      const { way, outcome } = await this.#tryRoute(admitted, attempt)
      this.#speculative?.giveUp()
      // From now on it is the answer's to settle or to release.
      this.#admitted = undefined
      return this.#opened(admitted, way, outcome)
    } catch (error) {
      // Of several calls that were made at once, the others are of no use any more.
      this.release(NOT_NEEDED)
      throw error
    }
  }

  /** Gives it up: it is not needed any more, or cannot be done. Without effect before `admit` and after `open`. */
  release(reason: GatewayError): void {
    this.#speculative?.giveUp()
    if (this.#admitted) this.#end(this.#admitted, reason)
    this.#admitted = undefined
  }

  #end({ bill, leash }: Admitted, reason: GatewayError): void {
    leash.end(reason)
    leash[Symbol.dispose]()
    this.#services.billing.release(bill)
    this.#rate.correct(NO_USAGE)
  }

  async #tryRoute<T>(
    admitted: Admitted,
    attempt: AttemptAt<T>,
  ): Promise<{ readonly way: Way; readonly outcome: Outcome<T> }> {
    const { health } = this.#services
    const { model, bill, leash } = admitted
    let failure: GatewayError | undefined
    for (const deployment of this.#route ?? route(model, health)) {
      if (leash.hasLeft) throw CALLER_LEFT
      const way = this.#way(this.#targetOf(deployment), admitted)
      health.attempted(deployment.id)
      try {
        const outcome = await attempt(way)
        if (this.#call.isStrict && outcome.losses.length > 0) throw notCarried(outcome.losses)
        bill.losses = outcome.losses
        health.succeeded(deployment.id)
        return { way, outcome }
      } catch (thrown) {
        failure = way.endpoint.cleaned(asGatewayError(thrown))
        if (isFinal(failure) || isCallersOwn(failure)) break
      }
    }
    throw failure ?? noDeployment()
  }

  #targetOf(deployment: Deployment): Target {
    const endpoint = this.#services.surroundings().endpoints.get(deployment.provider)
    if (!endpoint) throw new Error(`provider ${deployment.provider} is not set up`)
    return { deployment, endpoint }
  }

  #way(target: Target, { bill, leash }: Admitted): Way {
    const { deadlines, answerBytes } = this.#services.surroundings()
    const make: Way["answer"] = (call, format, use) =>
      makeCall({
        services: this.#services,
        bill,
        leash,
        deadlines,
        answerBytes,
        plan: target,
        request: () => target.endpoint.operation(call),
        sending: this.#speculative?.take(target.deployment),
        format,
        use,
      })
    return {
      ...target,
      answer: make,
      call: (call, format) =>
        make(call, format, async (attempt, response) => ({ attempt, response })),
    }
  }

  #opened<T>(admitted: Admitted, way: Way, outcome: Outcome<T>): OpenOperation<T> {
    const { billing, alarms } = this.#services
    const { bill, leash } = admitted
    const { deployment, endpoint } = way
    const { losses, value } = outcome
    const { provider } = endpoint
    const { headers } = this.#rate
    addAnswerHeaders(headers, { provider, losses, balance: billing.balance(bill) })
    return {
      value,
      deployment,
      provider,
      losses,
      headers,
      settle: async (usage, estimated) => {
        leash[Symbol.dispose]()
        if (!estimated && isNothing(usage)) alarms.usageMissing(this.#call.id, deployment.id)
        const priced = billing.price(bill, deployment, { usage, estimated })
        const settlement = await billing.settle(bill, deployment, priced)
        this.#rate.correct(usage)
        const { charged: cost, balance } = settlement
        addAnswerHeaders(headers, { losses, cost, balance })
        return settlement
      },
      release: (reason) => this.#end(admitted, reason),
    }
  }

  #requireAdmitted(): Admitted {
    if (!this.#admitted) throw new Error("the operation was not admitted")
    return this.#admitted
  }
}

function noDeployment(): GatewayError {
  return new GatewayError("upstream_overloaded", "No deployment of this model is set up.")
}

/** What would fail in the same way at any other deployment. */
function isCallersOwn(failure: GatewayError): boolean {
  const { kind, status } = failure
  return status < 500 && kind !== "not_carried" && kind !== "model_not_supported"
}

function isNothing(usage: Usage): boolean {
  return Object.values(usage).every((quantity) => quantity === 0)
}
