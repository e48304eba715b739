import type { Label, Labels } from "../accounting/labels.ts"

/** Requests as reports show them. Times are Unix milliseconds; amounts are nanocredits. */

/** One request in a list. Its full receipt is in the ledger. */
export interface RequestRecord {
  /** Grows with each request that ends: tells apart what began in the same millisecond. */
  readonly row: number
  readonly request: string
  readonly account: string
  readonly key: string
  /** Null when there is no such key any more. */
  readonly keyName: string | null
  readonly endpoint: string
  readonly model: string
  /** The one that answered, or was tried last; null when none was. */
  readonly provider: string | null
  readonly labels: Labels
  readonly status: "settled" | "released" | "expired"
  /** `ok`; `written_off` where it was answered and not all of it paid; or how it ended, in words of the error table. */
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
  /** What was charged. */
  readonly cost: bigint
  /** What it cost beyond that. */
  readonly writtenOff: bigint
  /** What it cost before the multiplier. */
  readonly providerCost: bigint
}

/** Filters requests. All conditions have to hold. */
export interface RequestFilter {
  /** Absent: everyone's. */
  readonly accounts?: readonly string[] | undefined
  readonly key?: string | undefined
  /** An exact id, or a glob with `*`. */
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly endpoint?: string | undefined
  /** It has all of these. */
  readonly labels?: readonly Label[] | undefined
  /** Whether it failed. What the caller broke off did not. */
  readonly failed?: boolean | undefined
  /** Whether a part of its cost was written off. */
  readonly writtenOff?: true | undefined
  /** A part of the outcome or of the request's id. */
  readonly search?: string | undefined
  /** Nanocredits, of what was charged; both ends are let through. */
  readonly minimumCost?: bigint | undefined
  readonly maximumCost?: bigint | undefined
  /** Milliseconds; both ends are let through. What has no duration is not. */
  readonly minimumDuration?: number | undefined
  readonly maximumDuration?: number | undefined
  readonly from?: number | undefined
  /** Exclusive. */
  readonly to?: number | undefined
}

/** What comes first: the newest; or what cost or took the most, and among equals the newest. */
export type RequestOrder = "newest" | "dearest" | "slowest"

/** Where a page of requests starts: after this one. */
export interface RequestPlace extends Pick<RequestRecord, "at" | "row"> {
  /** What it is sorted by; absent where that is the time. */
  readonly value?: bigint
}

/** The start, limit and order of a page of requests. */
export interface RequestPage {
  readonly after: RequestPlace | null
  readonly limit: number
  readonly order: RequestOrder
}

/** By what requests are sorted before their time, as SQL; undefined: by nothing. */
export function sortColumn(order: RequestOrder): string | undefined {
  if (order === "dearest") return "cost"
  // What has no duration comes last.
  return order === "slowest" ? "coalesce(duration, -1)" : undefined
}

/** The place after a request. */
export function placeAfter(record: RequestRecord, order: RequestOrder): RequestPlace {
  const { at, row } = record
  if (order === "newest") return { at, row }
  return { at, row, value: order === "dearest" ? record.cost : BigInt(record.duration ?? -1) }
}

/** How many requests began in a part of a time. */
export interface RequestCount {
  /** When that begins. */
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
  /** Absent: everyone's. */
  readonly accounts?: readonly string[] | undefined
  readonly key?: string | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly endpoint?: string | undefined
  readonly outcome?: string | undefined
  /** They have all of these. */
  readonly labels?: readonly Label[] | undefined
  /** Taken down to its hour. */
  readonly from: number
  /** Exclusive; taken up to its hour. */
  readonly to: number
}

export type UsageOrder = "cost" | "requests" | "tokens" | "errors"

/** Which groups are wanted: so many, the first by one of their sums; of those that are equal the dearest come first. */
export interface UsageFirst {
  readonly order: UsageOrder
  readonly count: number
}

/** The sums of one group of requests. */
export interface UsageSum {
  /** The moment that the hour or day begins, as decimal text; or a name. */
  readonly group: string
  readonly requests: number
  readonly errors: number
  readonly input: number
  readonly output: number
  readonly cost: bigint
  readonly writtenOff: bigint
  /** What they cost before the multiplier; of those from before this was counted, what they cost. */
  readonly providerCost: bigint
  /** Means over those that were answered; null when none was. */
  readonly meanDuration: number | null
  readonly meanFirstByte: number | null
}

/** The sums of one group in one hour or day. */
export interface UsagePoint extends UsageSum {
  /** When that begins. */
  readonly at: number
}

/** What a series of sums is made of. */
export interface SeriesGroup {
  readonly group: UsageName | "all"
  /** These are told apart; all others are one group, the empty name. */
  readonly names: readonly string[]
  readonly step: UsageTime
}

/** Answers that stand for all of a time, column by column: there are many, and they go from one thread to another. */
export interface AnswerSample {
  /** When each began, and how long it took: milliseconds. */
  readonly at: Float64Array
  readonly duration: Float64Array
  /** Not a number where it is not known. */
  readonly firstByte: Float64Array
  /** Tokens. */
  readonly output: Float64Array
  /**
   * Which answer is in which group, by their places among answers and among the names that were asked for; -1: in another
   * group. One may be in several, or in none.
   */
  readonly entries: { readonly answers: Int32Array; readonly names: Int32Array }
  /** Whether these are all there were. */
  readonly isComplete: boolean
}

/** How a key was used so far. */
export interface KeyUse {
  readonly key: string
  readonly lastUsedAt: number
  readonly requests: number
  readonly spent: bigint
}

/** What account uses are asked of. Days begin at midnight, UTC. */
export interface AccountUseFilter {
  /** Absent: all. */
  readonly accounts?: readonly string[] | undefined
  /** The beginning of the first day that is added up. */
  readonly from: number
  /** The same of the days that are added up on their own as well. */
  readonly recentFrom: number
}

/** How an account was used. */
export interface AccountUse {
  readonly account: string
  /** Null when it never was. */
  readonly lastUsedAt: number | null
  /** What was charged since `from`, and since `recentFrom`. */
  readonly spent: bigint
  readonly recentlySpent: bigint
}

/** How long answers took, milliseconds; null when there was none. */
export interface Latencies {
  readonly p50: number | null
  readonly p95: number | null
}
