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
}

/** Filters requests. All conditions have to hold. */
export interface RequestFilter {
  /** Absent: everyone's. */
  readonly accounts?: readonly string[] | undefined
  readonly key?: string | undefined
  /** An exact id, or a glob with `*`. */
  readonly model?: string | undefined
  readonly provider?: string | undefined
  /** Whether it failed. What the caller broke off did not. */
  readonly failed?: boolean | undefined
  /** Whether a part of its cost was written off. */
  readonly writtenOff?: true | undefined
  /** A part of the outcome or of the request's id. */
  readonly search?: string | undefined
  readonly from?: number | undefined
  /** Exclusive. */
  readonly to?: number | undefined
}

/** Where a page of requests starts: after this one. */
export type RequestPlace = Pick<RequestRecord, "at" | "row">

export type UsageGroup = "hour" | "day" | "model" | "key" | "provider" | "account" | "outcome"

export interface UsageFilter {
  /** Absent: everyone's. */
  readonly accounts?: readonly string[] | undefined
  readonly key?: string | undefined
  readonly model?: string | undefined
  /** Taken down to its hour. */
  readonly from: number
  /** Exclusive; taken up to its hour. */
  readonly to: number
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
  /** Means over those that were answered; null when none was. */
  readonly meanDuration: number | null
  readonly meanFirstByte: number | null
}

/** How a key was used so far. */
export interface KeyUse {
  readonly key: string
  readonly lastUsedAt: number
  readonly requests: number
  readonly spent: bigint
}

/** How long answers took, milliseconds; null when there was none. */
export interface Latencies {
  readonly p50: number | null
  readonly p95: number | null
}
