import type { OperationAnswer, OperationCall } from "../../canon/operation.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Call, Caller } from "../pipeline/call.ts"
import type { RelayServices, Surroundings } from "../pipeline/exchange.ts"
import type { Estimate } from "../chat/estimate.ts"
import { estimateOperations } from "./estimate-operations.ts"
import { type AttemptAt, type OpenOperation, Operation, type Way } from "./operation.ts"
import type { Admission, OperationPlan } from "./operation-plan.ts"
import type { RefusalReader } from "../upstream/refusal.ts"

/** What an operation is, before anybody is called. */
export interface OperationOrder<T> extends Admission {
  readonly call: Call
  readonly attempt: AttemptAt<T>
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
   * An operation for which nothing is held yet.
   * @param isPart whether another operation has counted the request in its key's rates.
   */
  prepare(call: Call, caller: Caller, isPart = false): Operation {
    return new Operation(this.#services, call, caller, isPart)
  }

  /**
   * Brings an operation to an upstream's answer.
   * @throws GatewayError; then nothing is held any more.
   */
  async begin<T>(order: OperationOrder<T>, caller: Caller): Promise<OpenOperation<T>> {
    const operation = this.prepare(order.call, caller)
    await operation.admit(order)
    return operation.open(order.attempt)
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
