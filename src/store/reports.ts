import type {
  AccountUse,
  AccountUseFilter,
  AnswerSample,
  KeyUse,
  Latencies,
  RequestCount,
  RequestFilter,
  RequestOrder,
  RequestPlace,
  RequestRecord,
  SeriesGroup,
  UsageFilter,
  UsageFirst,
  UsageGroup,
  UsagePoint,
  UsageSum,
} from "./requests.ts"

/**
 * Reports on past requests, derived from the ledger's receipts and stored apart from it. They can be rebuilt at any
 * time, and writes to the ledger never wait for them.
 */
export interface RequestReports {
  /**
   * Lists the requests after a position; null starts at the first.
   * @param order absent: newest first.
   */
  list(
    filter: RequestFilter,
    after: RequestPlace | null,
    limit: number,
    order?: RequestOrder,
  ): Promise<RequestRecord[]>
  /**
   * Returns approximately when the request `count` places further back began. Of the filter, only accounts, one label
   * and times apply.
   * @param before a position in the list of the newest; null: the newest request.
   * @returns null: there are fewer requests.
   */
  reach(filter: RequestFilter, before: RequestPlace | null, count: number): Promise<number | null>
  /**
   * Returns the number of requests per interval, unordered.
   * @param step length of an interval in milliseconds.
   */
  count(filter: RequestFilter, step: number): Promise<RequestCount[]>
  /**
   * Returns sums. Hours and days are sorted by time, other groups by the requested order, the largest first.
   * @param first absent: all groups, the most expensive first.
   */
  sumUsage(filter: UsageFilter, group: UsageGroup, first?: UsageFirst): Promise<UsageSum[]>
  /** Returns sums by hour or day, sorted by time. */
  usageSeries(filter: UsageFilter, series: SeriesGroup): Promise<UsagePoint[]>
  /**
   * Samples the durations of answers, in groups.
   * @param names of the separate groups.
   */
  sampleAnswers(
    filter: UsageFilter,
    group: UsageGroup,
    names: readonly string[],
  ): Promise<AnswerSample>
  /** Returns latencies of the last thousand answers since a moment. */
  latencies(accounts: readonly string[] | undefined, from: number): Promise<Latencies>
  /** Omits keys that were never used. */
  keyUses(keys: readonly string[]): Promise<KeyUse[]>
  /** Omits accounts that were never used. */
  accountUses(filter: AccountUseFilter): Promise<AccountUse[]>
  /** Returns the names of keys, by id. */
  keyNames(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export interface Reports {
  /**
   * Returns reports that include everything in the ledger. If they are far behind, as at their first use, they contain
   * the data read so far.
   */
  upToDate(): Promise<RequestReports>
}
