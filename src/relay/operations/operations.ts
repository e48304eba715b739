import type { HttpAnswer } from "../../wire/http/answer.ts"
import type { Loss } from "../../canon/chat.ts"
import { asGatewayError, GatewayError } from "../../canon/errors.ts"
import type { OperationAnswer, OperationCall } from "../../canon/operation.ts"
import { NO_USAGE, totalInput, totalOutput, type Usage } from "../../canon/usage.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { Settlement } from "../../ledger/hold.ts"
import { route } from "../../routing/route.ts"
import { addAnswerHeaders } from "../pipeline/answer-headers.ts"
import { notCarried } from "../chat/attempts.ts"
import type { Bill } from "../billing/bill.ts"
import type { Caller } from "../pipeline/call.ts"
import {
  CALLER_LEFT,
  drainTimeOf,
  isFinal,
  Leash,
  NOT_NEEDED,
  type RelayServices,
  type Surroundings,
} from "../pipeline/exchange.ts"
import type { Estimate } from "../chat/estimate.ts"
import { estimateOperations } from "./estimate-operations.ts"
import { type EarlyCall, HeadStart } from "./head-start.ts"
import type { Admission, OperationPlan } from "./operation-plan.ts"
import type { RefusalReader } from "../upstream/refusal.ts"
import type { Attempt, Target } from "../upstream/attempt.ts"
import { makeCall } from "../upstream/upstream-call.ts"

/** Before the vendor has counted: worst cases are in bytes, of which four are about a token. */
const BYTES_OF_TOKEN = 4

/**
 * Does an operation at one deployment. What it throws sends the request to the next deployment, unless
 * it is the caller's own fault.
 */
export type AttemptAt<T> = (way: Way) => Promise<Outcome<T>>

/** What an operation is, before anybody is called. */
export interface OperationOrder<T> extends Admission {
  readonly attempt: AttemptAt<T>
}

/** An operation whose worst case is held, and for which nobody has been called yet. */
export interface AdmittedOperation {
  /**
   * Sends the first call while its body still comes. It is taken over by the first call that is made once
   * the operation is open, as if that had been sent then; if it fails before, nobody hears of it.
   * @throws GatewayError when it cannot be prepared, which is no reason not to open the operation.
   */
  start(prepare: (target: Target) => Promise<EarlyCall | undefined>): Promise<void>
  /**
   * Brings it to an upstream's answer. Called once.
   * @throws GatewayError; then nothing is held any more.
   */
  open<T>(attempt: AttemptAt<T>): Promise<OpenOperation<T>>
  /** Gives it up: it is not needed any more, or cannot be done. */
  release(reason: GatewayError): void
}

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

/** The pipeline of everything that is no chat: limit, hold, route, attempt; then settle or release. */
export class Operations {
  readonly #services: RelayServices

  constructor(services: RelayServices) {
    this.#services = services
  }

  get surroundings(): Surroundings {
    return this.#services.surroundings()
  }

  /** What the operations of a request would cost together, and where they would go. @throws GatewayError */
  estimate(plans: readonly OperationPlan[]): Promise<Estimate> {
    return estimateOperations(this.#services, plans)
  }

  /**
   * Brings an operation to an upstream's answer.
   * @throws GatewayError; then nothing is held any more.
   */
  async begin<T>(order: OperationOrder<T>, caller: Caller): Promise<OpenOperation<T>> {
    const admitted = await this.admit(order, caller)
    return admitted.open(order.attempt)
  }

  /**
   * Sets the worst case of an operation aside, for one that has to wait for another.
   * @throws GatewayError; then nothing is held.
   */
  async admit(order: Admission, caller: Caller): Promise<AdmittedOperation> {
    const { limiter, billing, watch } = this.#services
    const { call, model, worst } = order
    const { key } = call
    const work = watch.pulse.enter(call.id, call.endpoint, model.id)
    const expected = Math.ceil(totalInput(worst) / BYTES_OF_TOKEN)
    const headers = limiter.check(key.id, {
      requestsPerMinute: key.requestsPerMinute,
      tokensPerMinute: key.tokensPerMinute,
      tokens: expected,
    })
    const correct = (usage: Usage): void => {
      if (key.tokensPerMinute === undefined) return
      const used = totalInput(usage) + totalOutput(usage)
      limiter.adjust(key.id, used - expected, performance.now() - call.startedAt)
    }
    let bill: Bill
    try {
      bill = await billing.admitUsage(call, model, worst)
    } catch (error) {
      correct(NO_USAGE)
      throw error
    }
    const drainTime = order.isWhole ? drainTimeOf(this.surroundings, model) : undefined
    const leash = new Leash(caller, watch, work, drainTime)
    const release = (): void => {
      leash[Symbol.dispose]()
      billing.release(bill)
      correct(NO_USAGE)
    }
    let headStart: HeadStart | undefined
    return {
      start: async (prepare) => {
        headStart = new HeadStart(this.#services.client, route(model, this.#services.health))
        const [deployment] = headStart.deployments
        if (deployment) await headStart.send(this.#targetOf(deployment), prepare)
      },
      open: async (attempt) => {
        try {
          const started = { bill, leash, headStart }
          const { way, outcome } = await this.#route({ ...order, attempt }, started)
          return this.#opened({ order, bill, leash, way, outcome, headers, correct, release })
        } catch (error) {
          // Of several calls that were made at once, the others are of no use any more.
          leash.end(NOT_NEEDED)
          headStart?.drop()
          release()
          throw error
        }
      },
      release: (reason) => {
        headStart?.drop()
        leash.end(reason)
        release()
      },
    }
  }

  #targetOf(deployment: Deployment): Target {
    const endpoint = this.surroundings.endpoints.get(deployment.provider)
    if (!endpoint) throw new Error(`provider ${deployment.provider} is not set up`)
    return { deployment, endpoint }
  }

  /** Brings it there and charges it at once: for answers that are whole. */
  async run<T extends { readonly usage: Usage; readonly estimated: boolean }>(
    order: OperationOrder<T>,
    caller: Caller,
  ): Promise<OpenOperation<T>> {
    const open = await this.begin({ ...order, isWhole: true }, caller)
    await open.settle(open.value.usage, open.value.estimated)
    return open
  }

  async #route<T>(
    order: OperationOrder<T>,
    started: Started,
  ): Promise<{ readonly way: Way; readonly outcome: Outcome<T> }> {
    const { health } = this.#services
    const { bill, leash, headStart } = started
    let failure: GatewayError | undefined
    for (const deployment of headStart?.deployments ?? route(order.model, health)) {
      if (leash.hasLeft) throw CALLER_LEFT
      const way = this.#way(this.#targetOf(deployment), started)
      health.attempted(deployment.id)
      try {
        const outcome = await order.attempt(way)
        if (order.call.isStrict && outcome.losses.length > 0) throw notCarried(outcome.losses)
        bill.losses = outcome.losses
        health.succeeded(deployment.id)
        return { way, outcome }
      } catch (thrown) {
        failure = way.endpoint.cleaned(asGatewayError(thrown))
        if (isFinal(failure) || isCallersOwn(failure)) break
      }
    }
    throw (
      failure ?? new GatewayError("upstream_overloaded", "No deployment of this model is set up.")
    )
  }

  #way(target: Target, { bill, leash, headStart }: Started): Way {
    const { deadlines, answerBytes } = this.surroundings
    const make: Way["answer"] = (call, format, use) =>
      makeCall({
        services: this.#services,
        bill,
        leash,
        deadlines,
        answerBytes,
        plan: target,
        request: () => target.endpoint.operation(call),
        sent: headStart?.take(target.deployment),
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

  #opened<T>(parts: OpenParts<T>): OpenOperation<T> {
    const { billing } = this.#services
    const { order, bill, leash, way, outcome, headers, correct, release } = parts
    const { deployment, endpoint } = way
    const { losses, value } = outcome
    const { provider } = endpoint
    addAnswerHeaders(headers, { provider, losses, balance: billing.balance(bill) })
    return {
      value,
      deployment,
      provider,
      losses,
      headers,
      settle: async (usage, estimated) => {
        leash[Symbol.dispose]()
        if (!estimated && isNothing(usage))
          this.#services.alarms.usageMissing(order.call.id, deployment.id)
        const settlement = await billing.settle(
          bill,
          deployment,
          billing.price(bill, deployment, { usage, estimated }),
        )
        correct(usage)
        const { charged: cost, balance } = settlement
        addAnswerHeaders(headers, { losses, cost, balance })
        return settlement
      },
      release: (reason) => {
        leash.end(reason)
        release()
      },
    }
  }
}

/** What the calls of an operation share. */
interface Started {
  readonly bill: Bill
  readonly leash: Leash
  readonly headStart: HeadStart | undefined
}

interface OpenParts<T> {
  readonly order: Admission
  readonly bill: Bill
  readonly leash: Leash
  readonly way: Way
  readonly outcome: Outcome<T>
  readonly headers: Record<string, string>
  readonly correct: (usage: Usage) => void
  readonly release: () => void
}

/** What would fail in the same way at any other deployment. */
function isCallersOwn(failure: GatewayError): boolean {
  const { kind, status } = failure
  return status < 500 && kind !== "not_carried" && kind !== "model_not_supported"
}

function isNothing(usage: Usage): boolean {
  return Object.values(usage).every((quantity) => quantity === 0)
}

/**
 * Makes all calls of an encoded operation, at most a few at once, and reads their answers whole.
 * @throws GatewayError of the first call that failed.
 */
export async function callAll(
  way: Way,
  format: RefusalReader,
  calls: readonly OperationCall[],
): Promise<OperationAnswer[]> {
  const answers: OperationAnswer[] = []
  for (let start = 0; start < calls.length; start += MOST_AT_ONCE) {
    const some = calls.slice(start, start + MOST_AT_ONCE)
    answers.push(...(await Promise.all(some.map((call) => readWhole(way, format, call)))))
  }
  return answers
}

const MOST_AT_ONCE = 4

function readWhole(way: Way, format: RefusalReader, call: OperationCall): Promise<OperationAnswer> {
  return way.answer(call, format, async (attempt, response) => {
    using _ = attempt
    return { headers: response.headers, bytes: await attempt.bytes(response) }
  })
}
