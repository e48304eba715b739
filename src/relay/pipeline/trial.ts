import type { MaybePromise } from "../../canon/maybe-promise.ts"
import type { Candidate } from "../upstream/attempt.ts"

/** Tries the deployments of a request. */
export interface Trial<P extends Candidate, T> {
  /** Plans the call of a candidate. A candidate that cannot be called is skipped. */
  plan(candidate: Candidate): MaybePromise<P>
  /**
   * Calls a candidate. A failure moves the request to the next one, unless it is final or the vendor has rejected the
   * request itself.
   */
  attempt(plan: P): Promise<T>
  /** Absent: those of the request's model. */
  readonly candidates?: readonly Candidate[] | undefined
  /** Whether a second call may run in parallel with a plan's; absent: never. */
  readonly mayHedge?: ((plan: P) => boolean) | undefined
  /** Called with the accepted answer, if two answers were possible. */
  readonly taken?: ((answer: T) => void) | undefined
}
