import { DAY_MS } from "#contract/durations.ts"
import type { AccountUseFilter } from "../store/requests.ts"
import type { Reports } from "../store/reports.ts"
import { type AccountUses, PACE_DAYS } from "./account-list.ts"
import { CachedQuery } from "./cached-query.ts"

/** Number of days over which spending is added up, including today. */
const SPENT_DAYS = 30
/** Number of days whose spending is listed separately, including today. */
const LISTED_DAYS = 14
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

  /** Returns the current use of the given accounts, with their spending by day. */
  async of(accounts: readonly string[], now: number): Promise<AccountUses> {
    const [uses, days] = await Promise.all([
      this.#read({ accounts, ...daysUntil(now) }),
      this.#spentByDay(accounts, now),
    ])
    return new Map(
      [...uses].map(([id, use]) => {
        const spentByDay = days.get(id)
        return [id, spentByDay === undefined ? use : { ...use, spentByDay }]
      }),
    )
  }

  /** Returns the spending of accounts that spent something, oldest day first. */
  async #spentByDay(
    accounts: readonly string[],
    now: number,
  ): Promise<ReadonlyMap<string, readonly bigint[]>> {
    const to = (Math.floor(now / DAY_MS) + 1) * DAY_MS
    const from = to - LISTED_DAYS * DAY_MS
    const reports = await this.#reports.upToDate()
    const series = { group: "account", names: accounts, step: "day" } as const
    const points = await reports.usageSeries({ accounts, from, to }, series)
    const days = new Map<string, bigint[]>()
    for (const { group, at, cost } of points) {
      const spent = days.get(group) ?? Array<bigint>(LISTED_DAYS).fill(0n)
      spent[Math.floor((at - from) / DAY_MS)] = cost
      days.set(group, spent)
    }
    return days
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
