import type { Usage } from "../../canon/usage.ts"
import type { Estimate } from "../pipeline/estimate.ts"
import type { Call, Caller } from "../request/call.ts"
import type { RuntimeConfig } from "../request/runtime-config.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import type { OperationServices, UsageAlarms } from "./services.ts"
import { estimateOperations } from "./estimate-operations.ts"
import type { OpenOperation } from "./open-operation.ts"
import { type AttemptAt, type CompletedAt, Operation, type UnreadAt } from "./operation.ts"
import type { Admission, OperationPlan } from "./operation-plan.ts"

/** The data of an operation before its first upstream call. */
export interface OperationInput<T> extends Admission {
  readonly call: Call
  readonly attempt: AttemptAt<T>
  readonly lossesAt?: OperationPlan["lossesAt"]
  readonly unread: UnreadAt
  readonly completed?: CompletedAt<T>
  /** Whether a second deployment may be called in parallel if the first is late. */
  readonly mayHedge?: boolean
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
  async run<T extends { readonly usage: Usage; readonly estimated: boolean }>(
    input: OperationInput<T>,
    caller: Caller,
  ): Promise<OpenOperation<T>> {
    const open = await this.begin({ ...input, isWhole: true }, caller)
    await open.settle(open.value.usage, open.value.estimated)
    return open
  }
}
