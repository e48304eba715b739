import type { Label, LabelName, Labels } from "../accounting/labels.ts"
import type { NameFilter, SumName, UnindexedName } from "./request-names.ts"

/** Requests in the form that reports show. Times are Unix milliseconds, and amounts are nanocredits. */

/** One request in a list. Its complete receipt is in the ledger. */
export interface RequestRecord {
  /** Increases with each request that ends. It sorts requests that began in the same millisecond. */
  readonly row: number
  readonly request: string
  readonly account: string
  readonly key: string
  /** The name of the key; null if the key no longer exists. */
  readonly keyName: string | null
  readonly endpoint: string
  readonly model: string
  /** The provider that answered, or that was tried last; null if none was tried. */
  readonly provider: string | null
  /** The price group that determined the price; null if there was none, or if nothing was charged. */
  readonly priceGroup: string | null
  readonly labels: Labels
  readonly status: "settled" | "released" | "expired"
  /**
   * The outcome: `ok`, `written_off` if the request was answered but not fully paid, or the kind of failure from the
   * error table.
   */
  readonly outcome: string
  readonly stream: boolean
  readonly estimated: boolean
  /** The start of the request. */
  readonly at: number
  readonly duration: number | null
  readonly firstByte: number | null
  /** Numbers of tokens. */
  readonly input: number
  readonly output: number
  /** The charged amount. */
  readonly cost: bigint
  /** The part of the cost that was not charged. */
  readonly writtenOff: bigint
  /** The cost before the multiplier. */
  readonly providerCost: bigint
}

/** A filter for requests. All conditions must hold. */
export interface RequestFilter extends Pick<NameFilter, UnindexedName> {
  /** The accounts; if absent, all accounts. */
  readonly accounts?: readonly string[] | undefined
  readonly key?: string | undefined
  /** An exact model id, or a glob with `*`. */
  readonly model?: string | undefined
  /** Alternative keys, models or ids. For each list that is given, a request must match one element. */
  readonly keys?: readonly string[] | undefined
  readonly models?: readonly string[] | undefined
  readonly requests?: readonly string[] | undefined
  /** Labels. A request must have all of them. */
  readonly labels?: readonly Label[] | undefined
  /** The beginning of the value of a label. No index supports it. */
  readonly labelPrefix?: string | undefined
  /** Whether the requests failed. A request that its caller cancelled did not fail. */
  readonly failed?: boolean | undefined
  /** Whether a part of the cost was written off. */
  readonly writtenOff?: true | undefined
  /** A part of the outcome or of the request id. */
  readonly search?: string | undefined
  /** Minimum and maximum of the charged amount in nanocredits, inclusive. */
  readonly minimumCost?: bigint | undefined
  readonly maximumCost?: bigint | undefined
  /** Minimum and maximum duration in milliseconds, inclusive. Requests without a duration do not match. */
  readonly minimumDuration?: number | undefined
  readonly maximumDuration?: number | undefined
  readonly from?: number | undefined
  /** The end of the time range, exclusive. */
  readonly to?: number | undefined
}

/**
 * The order of requests. The newest, the most expensive or the slowest come first. Equal requests are sorted by time,
 * the newest first.
 */
export type RequestOrder = "newest" | "most_expensive" | "slowest"

/** The position of a request, after which a page starts. */
export interface RequestPlace extends Pick<RequestRecord, "at" | "row"> {
  /** The sort value of the request; absent if requests are sorted by time. */
  readonly value?: bigint
}

/** The start, limit and order of a page of requests. */
export interface RequestPage {
  readonly after: RequestPlace | null
  readonly limit: number
  readonly order: RequestOrder
}

/**
 * Returns the SQL expression by which requests are sorted before their time; undefined if they are only sorted by time.
 */
export function sortColumn(order: RequestOrder): string | undefined {
  if (order === "most_expensive") return "cost"
  // Requests without a duration come last.
  return order === "slowest" ? "coalesce(duration, -1)" : undefined
}

/** Returns the comparison that sorts a list of requests. */
export function comparisonOf(
  order: RequestOrder,
): (left: RequestRecord, right: RequestRecord) => number {
  const valueOf = ({ cost, duration }: RequestRecord): bigint =>
    order === "most_expensive" ? cost : BigInt(duration ?? -1)
  return (left, right) => {
    const byTime = right.at - left.at || right.row - left.row
    return order === "newest" ? byTime : Number(valueOf(right) - valueOf(left)) || byTime
  }
}

/** Returns the position of a request in a list. */
export function placeAfter(record: RequestRecord, order: RequestOrder): RequestPlace {
  const { at, row } = record
  if (order === "newest") return { at, row }
  return {
    at,
    row,
    value: order === "most_expensive" ? record.cost : BigInt(record.duration ?? -1),
  }
}

/** Names that contain a text, regardless of case, and labels whose values begin with it. */
export interface FoundNames {
  readonly keys: readonly string[]
  /** The accounts of the keys. */
  readonly accountsOfKeys: readonly string[]
  readonly models: readonly string[]
  /** Undefined if there are more labels than `MAX_FOUND_LABELS` of one kind. */
  readonly labels: readonly Label[] | undefined
}

/** The number of requests that began in an interval. */
export interface RequestCount {
  /** The start of the interval. */
  readonly at: number
  readonly answered: number
  readonly failed: number
}

export type UsageTime = "hour" | "day"
export type UsageName = SumName | LabelName
export type UsageGroup = UsageTime | UsageName | "all"

export interface UsageFilter extends NameFilter {
  /** The accounts; if absent, all accounts. */
  readonly accounts?: readonly string[] | undefined
  /** Labels. A request must have all of them. */
  readonly labels?: readonly Label[] | undefined
  /** The start, which is rounded down to the hour. */
  readonly from: number
  /** The end, exclusive, which is rounded up to the hour. */
  readonly to: number
}

export type UsageOrder = "cost" | "requests" | "tokens" | "errors"

/**
 * The groups to return, which are the first ones when sorted by one of their sums. Of equal groups, the most expensive
 * comes first.
 */
export interface UsageFirst {
  readonly order: UsageOrder
  readonly count: number
}

/** The sums of one group of requests. */
export interface UsageSum {
  /** A name, or the start of the hour or day as decimal text. */
  readonly group: string
  readonly requests: number
  readonly errors: number
  readonly input: number
  readonly output: number
  readonly cost: bigint
  readonly writtenOff: bigint
  /** The cost before the multiplier. For requests without a recorded provider cost, this is the charged cost. */
  readonly providerCost: bigint
  /** Means over all answered requests; null if none was answered. */
  readonly meanDuration: number | null
  readonly meanFirstByte: number | null
}

/** The sums of one group in one hour or day. */
export interface UsagePoint extends UsageSum {
  /** The start of the hour or day. */
  readonly at: number
}

/** The groups and intervals of a series. */
export interface SeriesGroup {
  readonly group: UsageName | "all"
  /** The names that have separate sums. All other names form one group with the empty name. */
  readonly names: readonly string[]
  readonly step: UsageTime
}

/**
 * A sample of responses. It is stored in columns, because there are many responses and they are passed between threads.
 */
export interface ResponseSample {
  /** The start of each response's request in Unix milliseconds, and its duration in milliseconds. */
  readonly at: Float64Array
  readonly duration: Float64Array
  /** Milliseconds until the first byte; NaN if unknown. */
  readonly firstByte: Float64Array
  /** Numbers of output tokens. */
  readonly output: Float64Array
  /**
   * The groups of responses, as pairs of the index of a response and the index of a requested name, or -1 for another
   * group. A response may be in any number of groups.
   */
  readonly entries: { readonly responses: Int32Array; readonly names: Int32Array }
  /** Whether the sample contains all responses. */
  readonly isComplete: boolean
}

/** The use of a key up to now. */
export interface KeyUse {
  readonly key: string
  readonly lastUsedAt: number
  readonly requests: number
  readonly spent: bigint
}

/** A filter for the use of accounts. Days begin at midnight UTC. */
export interface AccountUseFilter {
  /** The accounts; if absent, all accounts. */
  readonly accounts?: readonly string[] | undefined
  /** The start of the first day that `spent` covers. */
  readonly from: number
  /** The start of the first day that `recentlySpent` covers. */
  readonly recentFrom: number
}

/** The use of an account. */
export interface AccountUse {
  readonly account: string
  /** The time of the last request; null if the account was never used. */
  readonly lastUsedAt: number | null
  /** The amount charged since `from`, and the amount charged since `recentFrom`. */
  readonly spent: bigint
  readonly recentlySpent: bigint
}

/** Durations of responses in milliseconds; null without responses. */
export interface Latencies {
  readonly p50: number | null
  readonly p95: number | null
}
