import type { Loss } from "../../canon/extra.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Model } from "../../catalog/model.ts"
import type { Call } from "../pipeline/call.ts"
import type { Candidate } from "../upstream/attempt.ts"

/** What is to be admitted: which model, and for how much at most. */
export interface Admission {
  readonly model: Model
  /** The most it can use: what its hold covers. */
  readonly worst: Usage
  /** Whether its answer is whole, and may be read on when its caller has left. */
  readonly isWhole?: boolean
}

/** What an operation is before its money and its candidate are sought. */
export interface OperationPlan extends Admission {
  readonly call: Call
  /** The least that it uses when it is answered. */
  readonly min: Usage
  /**
   * What of the request a deployment cannot be told.
   * @throws GatewayError when it cannot go there.
   */
  readonly lossesAt: (candidate: Candidate) => readonly Loss[] | Promise<readonly Loss[]>
}
