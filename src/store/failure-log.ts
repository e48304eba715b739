import type { TimePosition } from "./time-position.ts"

/** Times are Unix milliseconds. */

/** A request that was answered with an error. Contains neither the request's content nor a secret. */
export interface FailedRequest {
  readonly request: string
  readonly at: number
  readonly endpoint: string
  /** Status of the response. */
  readonly status: number
  /** A kind of the error table. */
  readonly kind: string
  /** The invalid field. */
  readonly parameter: string | null
  /** The message that the caller received. */
  readonly message: string
  /** Null if the caller was not authenticated. */
  readonly account: string | null
  readonly key: string | null
  /** The model that the caller named; null if the body was not parsed. */
  readonly model: string | null
}

/** A failed upstream call, with the vendor's message, which only operators see. */
export interface FailedAttempt {
  readonly request: string
  readonly at: number
  readonly deployment: string
  /** Status of the vendor's response; 0 without a response. */
  readonly status: number
  /** A kind of the error table. */
  readonly kind: string
  /** The vendor's error code; null if the vendor sent no code. */
  readonly code: string | null
  readonly message: string
}

export interface FailureFilter {
  readonly accounts?: readonly string[] | undefined
  readonly key?: string | undefined
  readonly endpoint?: string | undefined
  readonly kind?: string | undefined
  /** Excluded kinds. */
  readonly without?: readonly string[] | undefined
  /** An exact name or a glob. */
  readonly model?: string | undefined
  /** A part of the message or of the request's id. */
  readonly search?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Retention limits of the failure log. */
export interface FailureLimits {
  /** Older failures are deleted. */
  readonly before: number
  /** Maximum failed requests per account, and of unauthenticated callers; the newest stay. */
  readonly requests: number
  /** Maximum failed attempts in total. */
  readonly attempts: number
}

/**
 * Failures of the last days, stored apart from the ledger with limits on their number. Failures of the last second
 * before a crash may be lost.
 */
export interface FailureLog {
  add(requests: readonly FailedRequest[], attempts: readonly FailedAttempt[]): Promise<void>
  find(request: string): Promise<FailedRequest | null>
  /** Lists the failed attempts of a request in the order of time. */
  attempts(request: string): Promise<FailedAttempt[]>
  /** Lists the failed requests after a position, newest first; null starts at the newest. */
  list(filter: FailureFilter, after: TimePosition | null, limit: number): Promise<FailedRequest[]>
  /**
   * Returns the number of failures per interval, unordered.
   * @param step length of an interval in milliseconds.
   */
  count(
    filter: FailureFilter,
    step: number,
  ): Promise<{ readonly at: number; readonly count: number }[]>
  sweep(limits: FailureLimits): Promise<void>
}
