import type {
  AccountUse,
  AccountUseFilter,
  ResponseSample,
  FoundNames,
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
import type { UsageChange, UsageComparison } from "./usage-changes.ts"

/**
 * Reports on past requests. Their data is derived from the receipts in the ledger. With SQLite, it is in a separate
 * index, which can be rebuilt at any time and never delays writes to the ledger.
 */
export interface RequestReports {
  /**
   * Lists the requests after a position. null starts at the first request.
   * @param order newest first if absent.
   */
  list(
    filter: RequestFilter,
    after: RequestPlace | null,
    limit: number,
    order?: RequestOrder,
  ): Promise<RequestRecord[]>
  /**
   * Returns the approximate start time of the request that is `count` entries older than a position in the list of the
   * newest requests. Of the filter, only the accounts, one label and the time range apply.
   * @param before a position in the list of the newest requests; null for the newest request.
   * @returns null if there are fewer requests.
   */
  reach(filter: RequestFilter, before: RequestPlace | null, count: number): Promise<number | null>
  /**
   * Returns the number of requests that match at least one of the filters, per interval and in any order.
   * @param step length of an interval in milliseconds.
   */
  count(filters: readonly RequestFilter[], step: number): Promise<RequestCount[]>
  /**
   * Returns the approximate time since which no filter has more than `count` matches. If the filters have different
   * times, returns the latest.
   * @returns null if each filter has fewer matches.
   */
  reachOfMatches(filters: readonly RequestFilter[], count: number): Promise<number | null>
  /** Returns the names in requests of the given accounts that match a search text; of all accounts if absent. */
  names(text: string, accounts: readonly string[] | undefined): Promise<FoundNames>
  /**
   * Returns sums. Hours and days are sorted chronologically. Other groups are sorted by the requested order, with the
   * largest first.
   * @param first if absent, all groups are returned, the most expensive first.
   */
  sumUsage(filter: UsageFilter, group: UsageGroup, first?: UsageFirst): Promise<UsageSum[]>
  /**
   * Compares the costs of groups in two periods. Returns a list for each kind of group: the `count` largest increases
   * and the `count` largest decreases, or all groups if there are no more. The largest increase comes first.
   */
  usageChanges(
    comparison: UsageComparison,
    groups: readonly UsageGroup[],
    count: number,
  ): Promise<UsageChange[][]>
  /** Returns sums by hour or day, in chronological order. */
  usageSeries(filter: UsageFilter, series: SeriesGroup): Promise<UsagePoint[]>
  /**
   * Returns a sample of the durations of responses, in groups.
   * @param names names of the groups to distinguish.
   */
  sampleResponses(
    filter: UsageFilter,
    group: UsageGroup,
    names: readonly string[],
  ): Promise<ResponseSample>
  /** Returns latencies of the last thousand responses since a moment. */
  latencies(accounts: readonly string[] | undefined, from: number): Promise<Latencies>
  /** Returns the use of keys. Keys that were never used are omitted. */
  keyUses(keys: readonly string[]): Promise<KeyUse[]>
  /** Returns the use of accounts. Accounts that were never used are omitted. */
  accountUses(filter: AccountUseFilter): Promise<AccountUse[]>
  /** Returns the names of keys by their ids. */
  keyNames(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export interface Reports {
  /**
   * Returns reports that include all data in the ledger. If indexing is far behind, as at the first use, the reports
   * contain only the data read so far.
   */
  upToDate(): Promise<RequestReports>
  /** Whether requests are missing from the last reports, because indexing is far behind. */
  readonly isBehind: boolean
}
