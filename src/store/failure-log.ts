import type { TimePosition } from "./time-position.ts"

/** Times are Unix milliseconds. */

/** A request that was answered with an error. It contains neither the request's content nor a secret. */
export interface FailedRequest {
  readonly request: string
  readonly at: number
  readonly endpoint: string
  /** HTTP status of the response. */
  readonly status: number
  /** The kind of error, as in the error table. */
  readonly kind: string
  /** The invalid field. */
  readonly parameter: string | null
  /** The message that the caller received. */
  readonly message: string
  /** The account; null if the caller was not authenticated. */
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
  /** HTTP status of the vendor's response; 0 without a response. */
  readonly status: number
  /** The kind of error, as in the error table. */
  readonly kind: string
  /** The vendor's error code; null if the vendor sent no code. */
  readonly code: string | null
  readonly message: string
}

export interface FailureFilter {
  /** The complete id of a request; if absent, all requests. */
  readonly request?: string | undefined
  readonly accounts?: readonly string[] | undefined
  readonly key?: string | undefined
  readonly endpoint?: string | undefined
  readonly kind?: string | undefined
  /** Kinds that are excluded. */
  readonly without?: readonly string[] | undefined
  /** An exact name or a glob. */
  readonly model?: string | undefined
  /** A part of the message or of the model, regardless of case. */
  readonly search?: string | undefined
  /** Keys whose failures match the search as well. */
  readonly searchedKeys?: readonly string[] | undefined
  /** Whether the search ignores messages. */
  readonly hidesMessages?: boolean | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** A search for requests with a receipt, by the error messages of their responses and attempts. */
export interface FailureSearch {
  /** A part of a message, regardless of case. */
  readonly text: string
  /** Kinds of the failed requests. */
  readonly kinds: readonly string[]
  /** Kinds of the attempts; if absent, all kinds. */
  readonly attemptKinds?: readonly string[] | undefined
  /** The accounts; if absent, all accounts. Attempts then belong to one of their failed requests. */
  readonly accounts?: readonly string[] | undefined
  /** The range of request ids: the first one, and the first one after the range. */
  readonly from?: string | undefined
  readonly before?: string | undefined
}

/** The result of a search. */
export interface FoundFailures {
  /** The ids of the requests, newest first. */
  readonly requests: readonly string[]
  /** The newest request that was not searched, because there are too many; null if all were searched. */
  readonly unsearched: string | null
}

/** Retention limits of the failure log. */
export interface FailureLimits {
  /** Unix milliseconds. Older failures are deleted. */
  readonly before: number
  /** Maximum failed requests per account, and of all unauthenticated callers together. The newest are kept. */
  readonly requests: number
  /** Maximum failed attempts in total. */
  readonly attempts: number
}

/**
 * Failures of the last days, stored separately from the ledger and limited in number. Failures of the last second
 * before a crash may be lost.
 */
export interface FailureLog {
  add(requests: readonly FailedRequest[], attempts: readonly FailedAttempt[]): Promise<void>
  find(request: string): Promise<FailedRequest | null>
  /** Lists the failed attempts of a request in chronological order. */
  attempts(request: string): Promise<FailedAttempt[]>
  /** Lists failed requests after a position, newest first. null starts at the newest request. */
  list(filter: FailureFilter, after: TimePosition | null, limit: number): Promise<FailedRequest[]>
  /**
   * Returns the start of the period that a search reads, if there are too many older failed requests; null if it reads
   * all of them. Only the accounts and the time range of the filter apply.
   */
  searchReach(filter: FailureFilter, after: TimePosition | null): Promise<number | null>
  /** Searches for requests with a matching error message. */
  search(search: FailureSearch, limit: number): Promise<FoundFailures>
  /**
   * Returns the number of failures per interval, in any order.
   * @param step length of an interval in milliseconds.
   */
  count(
    filter: FailureFilter,
    step: number,
  ): Promise<{ readonly at: number; readonly count: number }[]>
  sweep(limits: FailureLimits): Promise<void>
}
