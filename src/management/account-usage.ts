import type { AccountUseFilter } from "../store/requests.ts"
import type { Reports } from "../store/reports.ts"
import { type AccountUses, PACE_DAYS, SPENT_DAYS } from "./account-list.ts"
import { CachedQuery } from "./cached-query.ts"

const DAY_MS = 24 * 3_600_000
/**
 * Cache time as a multiple of the query time. The result of a query that takes half a second is reused for a minute.
 */
const CACHE_FACTOR = 120

/** Reads the use of accounts from the reports. */
export class AccountUsage {
  readonly #reports: Reports
  readonly #all = new CachedQuery(() => this.#read(daysUntil(Date.now())), CACHE_FACTOR)

  constructor(reports: Reports) {
    this.#reports = reports
  }

  /** Returns the current use of some accounts. */
  async of(accounts: readonly string[], now: number): Promise<AccountUses> {
    return this.#read({ accounts, ...daysUntil(now) })
  }

  /** Returns the use of all accounts. If the query takes a long time, the result is cached. */
  ofAll(): Promise<AccountUses> {
    return this.#all.get()
  }

  async #read(filter: AccountUseFilter): Promise<AccountUses> {
    const reports = await this.#reports.upToDate()
    const found = await reports.accountUses(filter)
    return new Map(found.map((use) => [use.account, use]))
  }
}

function daysUntil(now: number): Pick<AccountUseFilter, "from" | "recentFrom"> {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  return { from: today - (SPENT_DAYS - 1) * DAY_MS, recentFrom: today - (PACE_DAYS - 1) * DAY_MS }
}
