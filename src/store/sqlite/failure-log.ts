import { existsSync } from "node:fs"
import type {
  FailedAttempt,
  FailedRequest,
  FailureFilter,
  FailureLimits,
  FailureLog,
  FailureSearch,
  FoundFailures,
} from "../failure-log.ts"
import type { TimePosition } from "../time-position.ts"
import type { GroupsOf } from "../methods.ts"
import type { IndexMethods } from "./index-methods.ts"
import { failuresPath } from "./log-file.ts"
import type { ReportsOnDemand } from "./reports-on-demand.ts"

/** The failure log in a file next to the ledger. It is written on the thread of the reports index. */
export class SqliteFailureLog implements FailureLog {
  readonly #path: string
  readonly #reports: ReportsOnDemand

  /** @param databasePath the path of the ledger. */
  constructor(databasePath: string, reports: ReportsOnDemand) {
    this.#path = failuresPath(databasePath)
    this.#reports = reports
  }

  async add(requests: readonly FailedRequest[], attempts: readonly FailedAttempt[]): Promise<void> {
    await (await this.#reports.current()).failures.add(requests, attempts)
  }

  async find(request: string): Promise<FailedRequest | null> {
    if (!existsSync(this.#path)) return null
    return (await this.#reports.current()).failures.find(request)
  }

  async attempts(request: string): Promise<FailedAttempt[]> {
    if (!existsSync(this.#path)) return []
    return (await this.#reports.current()).failures.attempts(request)
  }

  async list(
    filter: FailureFilter,
    after: TimePosition | null,
    limit: number,
  ): Promise<FailedRequest[]> {
    if (!existsSync(this.#path)) return []
    return (await this.#readsOf(filter)).list(filter, after, limit)
  }

  async search(search: FailureSearch, limit: number): Promise<FoundFailures> {
    if (!existsSync(this.#path)) return { requests: [], unsearched: null }
    return (await this.#reports.longReads()).failures.search(search, limit)
  }

  async count(filter: FailureFilter, step: number): Promise<{ at: number; count: number }[]> {
    if (!existsSync(this.#path)) return []
    return (await this.#readsOf(filter)).count(filter, step)
  }

  /** Returns the methods for a filter. Searches read all messages, so they run on the thread of long reads. */
  async #readsOf({ search }: FailureFilter): Promise<GroupsOf<IndexMethods>["failures"]> {
    const isLong = search !== undefined
    return (await (isLong ? this.#reports.longReads() : this.#reports.current())).failures
  }

  async sweep(limits: FailureLimits): Promise<void> {
    if (existsSync(this.#path)) await (await this.#reports.current()).failures.sweep(limits)
  }
}
