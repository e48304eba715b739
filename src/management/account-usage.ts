import type { AccountUseFilter } from "../store/requests.ts"
import type { Reports } from "../store/reports.ts"
import { type AccountUses, PACE_DAYS, SPENT_DAYS } from "./account-list.ts"
import { Remembered } from "./remembered.ts"

/** Milliseconds. */
const DAY = 24 * 3_600_000
/** What took half a second to add up is good for a minute. */
const PATIENCE = 120

/** How accounts were used, from the reports. */
export class AccountUsage {
  readonly #reports: Reports
  readonly #all = new Remembered(() => this.#read(daysUntil(Date.now())), PATIENCE)

  constructor(reports: Reports) {
    this.#reports = reports
  }

  /** Of some accounts, as it is now. */
  async of(accounts: readonly string[], now: number): Promise<AccountUses> {
    return this.#read({ accounts, ...daysUntil(now) })
  }

  /** Of all accounts. Where it takes long to add that up, as it was a moment ago. */
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
  const today = Math.floor(now / DAY) * DAY
  return { from: today - (SPENT_DAYS - 1) * DAY, recentFrom: today - (PACE_DAYS - 1) * DAY }
}
