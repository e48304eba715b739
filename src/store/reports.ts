import type {
  AnswerSample,
  KeyUse,
  Latencies,
  RequestFilter,
  RequestPlace,
  RequestRecord,
  SeriesGroup,
  UsageFilter,
  UsageGroup,
  UsagePoint,
  UsageSum,
} from "./requests.ts"

/**
 * What is known of past requests, apart from the ledger: made from the ledger's receipts, so that nothing which writes the
 * ledger ever waits for it, and it can be rebuilt at any time.
 */
export interface RequestReports {
  /** The newest first, those after a place; null starts at the newest. */
  list(filter: RequestFilter, after: RequestPlace | null, limit: number): Promise<RequestRecord[]>
  /** Hours and days are in order of time, other groups in order of their cost, the dearest first. */
  sumUsage(filter: UsageFilter, group: UsageGroup): Promise<UsageSum[]>
  /** The same by the hour or day, in order of time. */
  usageSeries(filter: UsageFilter, series: SeriesGroup): Promise<UsagePoint[]>
  /** How long answers of a time took. */
  sampleAnswers(filter: UsageFilter): Promise<AnswerSample>
  /** Of the last thousand answers since a moment. */
  latencies(accounts: readonly string[] | undefined, from: number): Promise<Latencies>
  /** Keys that were never used are left out. */
  keyUses(keys: readonly string[]): Promise<KeyUse[]>
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
