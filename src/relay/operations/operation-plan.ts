import type { Loss } from "../../canon/extra.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Model } from "../../catalog/model.ts"
import type { Call } from "../pipeline/call.ts"
import type { Candidate } from "../upstream/attempt.ts"

/** What is admitted: which model, and the most it may use. */
export interface Admission {
  readonly model: Model
  /** The most it can use, covered by its hold. */
  readonly worst: Usage
  /** Whether its response is whole, so that it may be read to its end after the caller has left. */
  readonly isWhole?: boolean
}

/** What is known of an operation before its hold and its candidate. */
export interface OperationPlan extends Admission {
  readonly call: Call
  /** The least that a successful response uses. */
  readonly min: Usage
  /**
   * The parts of the request that a deployment does not support.
   * @throws GatewayError when the request cannot go there.
   */
  readonly lossesAt: (candidate: Candidate) => readonly Loss[] | Promise<readonly Loss[]>
}
