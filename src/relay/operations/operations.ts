import type { CountedUsage } from "../billing/priced-usage.ts"
import {
  type Estimate,
  type EstimatedPart,
  estimateOf,
  linesOfCost,
  minOf,
  rejectedLosses,
  stepsOf,
} from "../pipeline/estimate.ts"
import type { Call, Caller } from "../request/call.ts"
import type { RuntimeConfig } from "../request/runtime-config.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import type { OpenOperation, OperationServices, UsageAlarms } from "./open-operation.ts"
import { Operation, type Opening } from "./operation.ts"
import type { Admission, OperationPlan } from "./operation-plan.ts"
import { reportable } from "../../canon/extra.ts"
import { credentialIdOf } from "../../catalog/model.ts"
import { highestCost } from "../billing/deployment-costs.ts"

/** The data of an operation before its first upstream call. */
interface OperationInput<T> extends Admission, Opening<T> {
  readonly call: Call
}

/** The services of operations whose usage the gateway may count. */
export interface CountedOperationServices {
  readonly operations: Operations
  readonly counter: TokenCounter
  readonly alarms: UsageAlarms
}

/**
 * Runs all operations except chat. It holds their cost, calls the upstream through the pipeline, and then settles or
 * releases the hold.
 */
export class Operations {
  readonly #services: OperationServices

  constructor(services: OperationServices) {
    this.#services = services
  }

  get config(): RuntimeConfig {
    return this.#services.config()
  }

  /**
   * Estimates the total cost and the route of all operations of a request.
   * @throws GatewayError if the request cannot be served.
   */
  estimate(plans: readonly OperationPlan[]): Promise<Estimate> {
    return estimateOperations(this.#services, plans)
  }

  /**
   * Returns an operation without a hold.
   * @param isPart whether another operation has already counted the request in its key's rate limits.
   */
  prepare(call: Call, caller: Caller, isPart = false): Operation {
    return new Operation(this.#services, call, caller, isPart)
  }

  /**
   * Calls the upstream and returns its response.
   * @throws GatewayError, in which case nothing is held.
   */
  async begin<T>(input: OperationInput<T>, caller: Caller): Promise<OpenOperation<T>> {
    const operation = this.prepare(input.call, caller)
    await operation.admit(input)
    return operation.open(input)
  }

  /** Runs an operation and charges it immediately, for responses that are not streamed. */
  async run<T extends CountedUsage>(
    input: OperationInput<T>,
    caller: Caller,
  ): Promise<OpenOperation<T>> {
    const open = await this.begin({ ...input, isWhole: true }, caller)
    await open.settle(open.value)
    return open
  }
}

/**
 * Estimates the cost and the route of all operations of a request. Nothing is held, and no vendor is called.
 * @param plans plans of the estimated operations, at least one.
 * @throws GatewayError `request_rate_exceeded`.
 */
async function estimateOperations(
  services: OperationServices,
  plans: readonly OperationPlan[],
): Promise<Estimate> {
  const { limiter, billing } = services
  const [first] = plans
  const last = plans.at(-1)
  if (!first || !last) throw new Error("an estimate needs at least one plan")
  const { id, requestsPerMinute } = first.call.key
  await limiter.check(id, { requestsPerMinute, tokens: 0 })
  const parts = await Promise.all(plans.map((plan) => partOf(services, plan)))
  const additional = parts.slice(0, -1).reduce((sum, { max }) => sum + max, 0n)
  const { call, model, worst, calls, isWhole = false } = last
  const charge = await billing.holds.admit({
    call,
    request: undefined,
    model,
    worst,
    calls,
    isWhole,
    additional,
  })
  return estimateOf(billing, charge, parts)
}

async function partOf(services: OperationServices, plan: OperationPlan): Promise<EstimatedPart> {
  const { model, worst, min, calls, call, lossesAt } = plan
  const { clients } = services.config()
  const cost = highestCost(worst, model.deployments, calls)
  const max = cost?.total ?? 0n
  const route = await stepsOf(model, services.health, async (deployment) => {
    const client = clients.get(credentialIdOf(deployment))
    if (!client) throw new Error(`provider ${deployment.provider} is not set up`)
    const lost = await lossesAt({ deployment, client })
    const losses = reportable([...(model.ignored ?? []), ...lost])
    return { losses, ...rejectedLosses(call.isStrict, losses) }
  })
  const lines = cost ? linesOfCost(cost) : []
  return { model: model.id, min: minOf(min, model, max), max, lines, route }
}
