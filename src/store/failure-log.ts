import type { TimePosition } from "./time-position.ts"

/** Times are Unix milliseconds. */

/** A request that was answered with an error: never with what was asked, and without any secret. */
export interface FailedRequest {
  readonly request: string
  readonly at: number
  readonly endpoint: string
  /** Of the answer. */
  readonly status: number
  /** A word of the error table. */
  readonly kind: string
  /** The field that was wrong. */
  readonly parameter: string | null
  /** As the caller read it. */
  readonly message: string
  /** Null where the caller was not known. */
  readonly account: string | null
  readonly key: string | null
  /** As the caller named it; null where the request was not read so far. */
  readonly model: string | null
}

/** An upstream call that failed, with the vendor's own words: they are the operator's to read. */
export interface FailedAttempt {
  readonly request: string
  readonly at: number
  readonly deployment: string
  /** The vendor's; 0 where none came. */
  readonly status: number
  /** A word of the error table. */
  readonly kind: string
  /** The vendor's own code; null where it gave none. */
  readonly code: string | null
  readonly message: string
}

export interface FailureFilter {
  readonly accounts?: readonly string[] | undefined
  readonly key?: string | undefined
  readonly endpoint?: string | undefined
  readonly kind?: string | undefined
  /** Kinds that are left out. */
  readonly without?: readonly string[] | undefined
  /** An exact name or a glob. */
  readonly model?: string | undefined
  /** A part of the message or of the request's id. */
  readonly search?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** What the sweep leaves. */
export interface FailureLimits {
  /** What is older goes. */
  readonly before: number
  /** Requests of one account, and of callers who were not known; the newest stay. */
  readonly requests: number
  /** Attempts of all. */
  readonly attempts: number
}

/**
 * What went wrong in the last days, apart from the ledger: light, and cut off where it grows. What was written in the
 * last second before a crash may be lost.
 */
export interface FailureLog {
  add(requests: readonly FailedRequest[], attempts: readonly FailedAttempt[]): Promise<void>
  find(request: string): Promise<FailedRequest | null>
  /** In the order in which they failed. */
  attempts(request: string): Promise<FailedAttempt[]>
  /** The newest first, those behind a place; null starts at the newest. */
  list(filter: FailureFilter, after: TimePosition | null, limit: number): Promise<FailedRequest[]>
  /**
   * How many there are in each part of a time, in no order.
   * @param step how long a part is, milliseconds.
   */
  count(
    filter: FailureFilter,
    step: number,
  ): Promise<{ readonly at: number; readonly count: number }[]>
  sweep(limits: FailureLimits): Promise<void>
}
