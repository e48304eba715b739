import type { Loss } from "../../canon/extra.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Model } from "../../catalog/model.ts"
import type { Call } from "../request/call.ts"
import type { Candidate } from "../upstream/attempt.ts"

/** How much an operation may use. */
export interface UsageLimits {
  /** What its hold covers. */
  readonly worst: Usage
  /** The most that is charged, if that is more: what is beyond the hold is taken from the balance. */
  readonly max?: Usage
  /** Maximum upstream calls, if each has a fee. Default: 1. */
  readonly calls?: number
}

/** What is admitted: which model, and how much it may use. */
export interface Admission extends UsageLimits {
  readonly model: Model
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
