import type { Loss } from "../../canon/extra.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Model } from "../../catalog/model.ts"
import type { Call } from "../request/call.ts"
import type { Candidate } from "../upstream/attempt.ts"

/** The maximum usage of an operation. */
export interface UsageLimits {
  /** The usage that the hold covers. */
  readonly worst: Usage
  /**
   * The maximum usage that can be charged, if it is higher than `worst`. Usage above the hold is paid from the balance.
   */
  readonly max?: Usage
  /** Maximum number of upstream calls, if each call has a fee. Default: 1. */
  readonly calls?: number
}

/** The model and the usage with which an operation is admitted. */
export interface Admission extends UsageLimits {
  readonly model: Model
  /** Whether the response is not streamed, so that it may be read to its end after the caller has disconnected. */
  readonly isWhole?: boolean
}

/** The facts about an operation that are known before its hold and its candidate. */
export interface OperationPlan extends Admission {
  readonly call: Call
  /** The minimum usage of a successful response. */
  readonly min: Usage
  /**
   * Returns the parts of the request that a deployment does not support.
   * @throws GatewayError if the deployment cannot serve the request.
   */
  readonly lossesAt: (candidate: Candidate) => readonly Loss[] | Promise<readonly Loss[]>
}
