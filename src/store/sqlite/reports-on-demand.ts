import { AdaptiveTimeout } from "../adaptive-timeout.ts"
import type { Reports, RequestReports } from "../reports.ts"
import type { UsageFilter, UsageGroup, UsageTime } from "../requests.ts"
import { mayBeOfSegments } from "./segment-usage.ts"
import type { GroupsOf } from "../methods.ts"
import { ThreadOnDemand } from "../threads/thread-on-demand.ts"
import type { StatementReads } from "../entries.ts"
import type { FailureLog } from "../failure-log.ts"
import type { PayloadLog } from "../payload-log.ts"

/** The methods of the thread that maintains the reports index next to the ledger. */
export interface IndexMethods extends AsyncDisposable {
  readonly requests: RequestReports & {
    /**
     * Adds the next rows of the ledger to the index.
     * @returns whether there are more rows.
     */
    indexNext(): Promise<boolean>
  }
  readonly payloads: PayloadLog
  readonly failures: FailureLog
  readonly statementLines: StatementReads
}

/**
 * Builds the reports of a ledger on a thread that starts with the first report and ends with the gateway. Long reads
 * run on a second thread, so that lists do not wait for them.
 */
export class ReportsOnDemand implements Reports, AsyncDisposable {
  readonly #thread: ThreadOnDemand<IndexMethods>
  readonly #longReads: ThreadOnDemand<IndexMethods>
  readonly #timeout: AdaptiveTimeout
  #last: Promise<void> = Promise.resolve()

  /**
   * @param path the path of the ledger.
   * @param maxWaitMs maximum wait for the index; set by tests.
   */
  constructor(path: string, maxWaitMs?: number) {
    const place = { thread: "store/sqlite/requests-thread.ts", path, noun: "the reports" }
    this.#thread = new ThreadOnDemand(place)
    this.#longReads = new ThreadOnDemand(place)
    this.#timeout = new AdaptiveTimeout(maxWaitMs)
  }

  get isBehind(): boolean {
    return this.#timeout.hasTimedOut
  }

  async upToDate(): Promise<RequestReports> {
    const reports = (await this.current()).requests
    const caughtUp = this.#last.then(() => this.#catchUp(reports))
    this.#last = caughtUp.catch(() => undefined)
    await this.#timeout.waitFor(caughtUp)
    return this.#withLongReads(reports)
  }

  /** Returns reports that run on the second thread if they read many requests. */
  #withLongReads(reports: RequestReports): RequestReports {
    const readers = async (
      filter: UsageFilter,
      group: UsageGroup,
      step?: UsageTime,
    ): Promise<RequestReports> =>
      mayBeOfSegments(filter, group, step) ? (await this.#longReads.get()).requests : reports
    return {
      ...reports,
      sumUsage: async (filter, group, first) =>
        (await readers(filter, group)).sumUsage(filter, group, first),
      usageChanges: async (comparison, groups, count) => {
        const isLong = groups.some((group) => mayBeOfSegments(comparison.after, group))
        const { usageChanges } = isLong ? (await this.#longReads.get()).requests : reports
        return usageChanges(comparison, groups, count)
      },
      usageSeries: async (filter, series) =>
        (await readers(filter, series.group, series.step)).usageSeries(filter, series),
      sampleResponses: async (filter, group, names) =>
        (await this.#longReads.get()).requests.sampleResponses(filter, group, names),
    }
  }

  async #catchUp(reports: IndexMethods["requests"]): Promise<void> {
    while (!this.#thread.isClosed && (await reports.indexNext()));
  }

  /** Returns all methods of the thread, without updating the index. */
  current(): Promise<GroupsOf<IndexMethods>> {
    return this.#thread.get()
  }

  /** Returns the methods of the thread for reads that would delay lists. */
  longReads(): Promise<GroupsOf<IndexMethods>> {
    return this.#longReads.get()
  }

  /** The entries of statements, which are read on the thread for long reads. */
  get statementLines(): StatementReads {
    const lines = async () => (await this.longReads()).statementLines
    return {
      listStatementLines: async (account, after, limit) =>
        (await lines()).listStatementLines(account, after, limit),
      findRange: async (account, from, until) => (await lines()).findRange(account, from, until),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#thread.close()
    this.#longReads.close()
    await this.#last
    await this.#longReads[Symbol.asyncDispose]()
    await this.#thread[Symbol.asyncDispose]()
  }
}
