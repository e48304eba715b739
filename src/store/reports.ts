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
 * What is known of past requests, apart from the ledger: made from the ledger's receipts, so that nothing which writes the
 * ledger ever waits for it, and it can be rebuilt at any time.
 */
export interface RequestReports {
  /** Those after a place; null starts at the first. @param order absent: the newest first. */
  list(
    filter: RequestFilter,
    after: RequestPlace | null,
    limit: number,
    order?: RequestOrder,
  ): Promise<RequestRecord[]>
  /**
   * How far back the newest requests go, about so many of them: when the last one began. Of a filter it knows accounts,
   * a label and times.
   * @param before a place in the list of the newest; null: from the newest on.
   * @returns null: back to the first.
   */
  reach(filter: RequestFilter, before: RequestPlace | null, count: number): Promise<number | null>
  /** How many there are in each part of a time, in no order. @param step how long a part is, milliseconds. */
  count(filter: RequestFilter, step: number): Promise<RequestCount[]>
  /**
   * Hours and days are in order of time, other groups in the order that is asked for, the largest first.
   * @param first absent: all groups, the dearest first.
   */
  sumUsage(filter: UsageFilter, group: UsageGroup, first?: UsageFirst): Promise<UsageSum[]>
  /** The same by the hour or day, in order of time. */
  usageSeries(filter: UsageFilter, series: SeriesGroup): Promise<UsagePoint[]>
  /** How long answers of a time took, in groups. @param names of the groups that are told apart. */
  sampleAnswers(
    filter: UsageFilter,
    group: UsageGroup,
    names: readonly string[],
  ): Promise<AnswerSample>
  /** Of the last thousand answers since a moment. */
  latencies(accounts: readonly string[] | undefined, from: number): Promise<Latencies>
  /** Keys that were never used are left out. */
  keyUses(keys: readonly string[]): Promise<KeyUse[]>
  /** Accounts that were never used are left out. */
  accountUses(filter: AccountUseFilter): Promise<AccountUse[]>
  /** The names of keys, by id. */
  keyNames(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export interface Reports {
  /**
   * Reports with everything that is in the ledger now. Where very much is new to them, as at their first use, they have
   * what was read so far.
   */
  upToDate(): Promise<RequestReports>
}
