import type { Label, Labels } from "../accounting/labels.ts"

/** Requests as reports show them. Times are Unix milliseconds; amounts are nanocredits. */

/** One request in a list. Its full receipt is in the ledger. */
export interface RequestRecord {
  /** Grows with each request that ends. Orders requests that began in the same millisecond. */
  readonly row: number
  readonly request: string
  readonly account: string
  readonly key: string
  /** Null if the key no longer exists. */
  readonly keyName: string | null
  readonly endpoint: string
  readonly model: string
  /** The provider that answered or was tried last; null if no provider was tried. */
  readonly provider: string | null
  readonly labels: Labels
  readonly status: "settled" | "released" | "expired"
  /** `ok`; `written_off` if it was answered but not fully paid; or the kind of its failure, from the error table. */
  readonly outcome: string
  readonly stream: boolean
  readonly estimated: boolean
  /** When it began. */
  readonly at: number
  readonly duration: number | null
  readonly firstByte: number | null
  /** Tokens. */
  readonly input: number
  readonly output: number
  /** The charged amount. */
  readonly cost: bigint
  /** The uncharged part of its cost. */
  readonly writtenOff: bigint
  /** The cost before the multiplier. */
  readonly providerCost: bigint
}

/** Filters requests. All conditions must hold. */
export interface RequestFilter {
  /** Absent: all accounts. */
  readonly accounts?: readonly string[] | undefined
  readonly key?: string | undefined
  /** An exact id, or a glob with `*`. */
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly endpoint?: string | undefined
  /** A request must have all of these. */
  readonly labels?: readonly Label[] | undefined
  /** Filters by failure. A request cancelled by its caller did not fail. */
  readonly failed?: boolean | undefined
  /** Whether a part of its cost was written off. */
  readonly writtenOff?: true | undefined
  /** A part of the outcome or of the request's id. */
  readonly search?: string | undefined
  /** Charged nanocredits, inclusive. */
  readonly minimumCost?: bigint | undefined
  readonly maximumCost?: bigint | undefined
  /** Milliseconds, inclusive. Requests without a duration do not match. */
  readonly minimumDuration?: number | undefined
  readonly maximumDuration?: number | undefined
  readonly from?: number | undefined
  /** Exclusive. */
  readonly to?: number | undefined
}

/**
 * The order of requests: the newest, the most expensive or the slowest first. Equal requests are sorted by time, newest
 * first.
 */
export type RequestOrder = "newest" | "dearest" | "slowest"

/** The position of a request, after which a page starts. */
export interface RequestPlace extends Pick<RequestRecord, "at" | "row"> {
  /** The sort value of the request; absent if sorted by time. */
  readonly value?: bigint
}

/** The start, limit and order of a page of requests. */
export interface RequestPage {
  readonly after: RequestPlace | null
  readonly limit: number
  readonly order: RequestOrder
}

/** Returns the expression that sorts requests before their time, as SQL; undefined if they are only sorted by time. */
export function sortColumn(order: RequestOrder): string | undefined {
  if (order === "dearest") return "cost"
  // Requests without a duration come last.
  return order === "slowest" ? "coalesce(duration, -1)" : undefined
}

/** Returns the position of a request. */
export function placeAfter(record: RequestRecord, order: RequestOrder): RequestPlace {
  const { at, row } = record
  if (order === "newest") return { at, row }
  return { at, row, value: order === "dearest" ? record.cost : BigInt(record.duration ?? -1) }
}

/** The number of requests that began in an interval. */
export interface RequestCount {
  /** When the interval begins. */
  readonly at: number
  readonly answered: number
  readonly failed: number
}

export type UsageTime = "hour" | "day"
export type UsageName =
  | "model"
  | "key"
  | "provider"
  | "account"
  | "endpoint"
  | "outcome"
  | "user"
  | "session"
  | "tag"
export type UsageGroup = UsageTime | UsageName | "all"

export interface UsageFilter {
  /** Absent: all accounts. */
  readonly accounts?: readonly string[] | undefined
  readonly key?: string | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly endpoint?: string | undefined
  readonly outcome?: string | undefined
  /** A request must have all of these. */
  readonly labels?: readonly Label[] | undefined
  /** Rounded down to the hour. */
  readonly from: number
  /** Exclusive; rounded up to the hour. */
  readonly to: number
}

export type UsageOrder = "cost" | "requests" | "tokens" | "errors"

/** The groups to return: the first ones by one of their sums. Of equal groups, the most expensive comes first. */
export interface UsageFirst {
  readonly order: UsageOrder
  readonly count: number
}

/** The sums of one group of requests. */
export interface UsageSum {
  /** The beginning of the hour or day, as decimal text, or a name. */
  readonly group: string
  readonly requests: number
  readonly errors: number
  readonly input: number
  readonly output: number
  readonly cost: bigint
  readonly writtenOff: bigint
  /** The cost before the multiplier; for requests from before it was recorded, the cost. */
  readonly providerCost: bigint
  /** Means over answered requests; null without answered requests. */
  readonly meanDuration: number | null
  readonly meanFirstByte: number | null
}

/** The sums of one group in one hour or day. */
export interface UsagePoint extends UsageSum {
  /** When the hour or day begins. */
  readonly at: number
}

/** The groups and intervals of a series. */
export interface SeriesGroup {
  readonly group: UsageName | "all"
  /** The names with separate sums. All others are one group with the empty name. */
  readonly names: readonly string[]
  readonly step: UsageTime
}

/** A sample of answers, column by column because there are many and they cross threads. */
export interface AnswerSample {
  /** When each began, and its duration, in milliseconds. */
  readonly at: Float64Array
  readonly duration: Float64Array
  /** NaN if unknown. */
  readonly firstByte: Float64Array
  /** Tokens. */
  readonly output: Float64Array
  /**
   * The groups of answers, as pairs of an index of an answer and an index of a requested name; -1: another group. An
   * answer may be in any number of groups.
   */
  readonly entries: { readonly answers: Int32Array; readonly names: Int32Array }
  /** Whether the sample contains all answers. */
  readonly isComplete: boolean
}

/** The use of a key so far. */
export interface KeyUse {
  readonly key: string
  readonly lastUsedAt: number
  readonly requests: number
  readonly spent: bigint
}

/** Filters the use of accounts. Days begin at midnight, UTC. */
export interface AccountUseFilter {
  /** Absent: all accounts. */
  readonly accounts?: readonly string[] | undefined
  /** The beginning of the first day of `spent`. */
  readonly from: number
  /** The beginning of the first day of `recentlySpent`. */
  readonly recentFrom: number
}

/** The use of an account. */
export interface AccountUse {
  readonly account: string
  /** Null if it was never used. */
  readonly lastUsedAt: number | null
  /** The charged amounts since `from`, and since `recentFrom`. */
  readonly spent: bigint
  readonly recentlySpent: bigint
}

/** Durations of answers in milliseconds; null without answers. */
export interface Latencies {
  readonly p50: number | null
  readonly p95: number | null
}
