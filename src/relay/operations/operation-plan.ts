import type { Loss } from "../../canon/extra.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Model } from "../../catalog/model.ts"
import type { Call } from "../request/call.ts"
import type { Candidate } from "../upstream/attempt.ts"

/** The maximum usage of an operation. */
export interface UsageLimits {
  /** The usage that its hold covers. */
  readonly worst: Usage
  /** The maximum charged usage, if it is higher: usage beyond the hold is taken from the balance. */
  readonly max?: Usage
  /** Maximum upstream calls, if each has a fee. Default: 1. */
  readonly calls?: number
}

/** The admitted model and usage. */
export interface Admission extends UsageLimits {
  readonly model: Model
  /** Whether its response is whole, so that it may be read to its end after the caller has left. */
  readonly isWhole?: boolean
}

/** The known facts about an operation before its hold and its candidate. */
export interface OperationPlan extends Admission {
  readonly call: Call
  /** The minimum usage of a successful response. */
  readonly min: Usage
  /**
   * The parts of the request that a deployment does not support.
   * @throws GatewayError if the deployment cannot serve the request.
   */
  readonly lossesAt: (candidate: Candidate) => readonly Loss[] | Promise<readonly Loss[]>
}
