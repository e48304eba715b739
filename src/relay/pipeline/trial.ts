import type { MaybePromise } from "../../canon/maybe-promise.ts"
import type { Candidate } from "../upstream/attempt.ts"

/** The functions that try the deployments of a request. */
export interface Trial<P extends Candidate, T> {
  /** Plans the call to a candidate. If it throws, the candidate is skipped. */
  plan(candidate: Candidate): MaybePromise<P>
  /**
   * Calls a candidate. After a failure, the next candidate is tried, unless the failure is final or the vendor has
   * rejected the request itself.
   */
  attempt(plan: P): Promise<T>
  /** The candidates to try. Defaults to the deployments of the request's model. */
  readonly candidates?: readonly Candidate[] | undefined
  /** Whether a second call may run in parallel with the call of a plan; never if absent. */
  readonly mayHedge?: ((plan: P) => boolean) | undefined
  /** Called with the response that is used, if two responses were possible. */
  readonly taken?: ((response: T) => void) | undefined
}
