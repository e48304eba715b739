import type { ContentRecord } from "./contents.ts"
import type {
  KeyUse,
  Latencies,
  RequestFilter,
  RequestPlace,
  RequestRecord,
  UsageFilter,
  UsageGroup,
  UsageSum,
} from "./requests.ts"

/**
 * What is known of past requests, apart from the book: an index in a file of its own, made from the
 * book's receipts. Whoever writes the book never waits for it, and it can be made again at any time.
 */
export interface Reports extends AsyncDisposable {
  /** Takes some more of the book into the index. @returns whether there is more. */
  bringUp(): Promise<boolean>
  /** The newest first, those behind a place; null begins at the newest. */
  listRequests(
    filter: RequestFilter,
    after: RequestPlace | null,
    limit: number,
  ): Promise<RequestRecord[]>
  /** Hours and days are in order of time, other groups in order of their cost, the dearest first. */
  sumUsage(filter: UsageFilter, group: UsageGroup): Promise<UsageSum[]>
  /** Of the last thousand answers since a moment. */
  latencies(accounts: readonly string[] | undefined, from: number): Promise<Latencies>
  /** Keys that were never used are left out. */
  keyUses(keys: readonly string[]): Promise<KeyUse[]>
  /** The names of keys, by id. */
  keyNames(keys: readonly string[]): Promise<ReadonlyMap<string, string>>

  keepContent(record: ContentRecord): Promise<void>
  findContent(request: string): Promise<ContentRecord | null>
  /** Deletes what is older than a moment. */
  sweepContents(before: number): Promise<void>
}

/** The same steps as they run on the reports' thread. */
export type DirectReports = {
  [Method in Exclude<keyof Reports, symbol>]: (
    ...parameters: Parameters<Reports[Method]>
  ) => Awaited<ReturnType<Reports[Method]>>
}

/** The names of all steps. */
export const REPORT_STEPS = [
  "bringUp",
  "listRequests",
  "sumUsage",
  "latencies",
  "keyUses",
  "keyNames",
  "keepContent",
  "findContent",
  "sweepContents",
] as const satisfies readonly (keyof DirectReports)[]
