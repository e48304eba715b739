import type { MaybePromise } from "../../canon/maybe-promise.ts"
import type { Candidate } from "../upstream/attempt.ts"

/** How the deployments of a request are tried. */
export interface Trial<P extends Candidate, T> {
  /** Finds out how one of them is called. One that cannot be called is skipped. */
  plan(candidate: Candidate): MaybePromise<P>
  /**
   * Calls it. What that throws sends the request to the next, unless it is final or the vendor has refused the request
   * itself.
   */
  attempt(plan: P): Promise<T>
  /** Absent: those of the request's model. */
  readonly candidates?: readonly Candidate[] | undefined
  /** Whether a second call may be made beside a plan's; absent: never. */
  readonly mayHedge?: ((plan: P) => boolean) | undefined
  /** Called with the accepted answer, if two answers were possible. */
  readonly taken?: ((answer: T) => void) | undefined
}
