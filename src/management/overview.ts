import { DAY_MS, HOUR_MS } from "#contract/durations.ts"
import type { Overview, UsageRow } from "#contract/usage.ts"
import { formatCredits } from "../ledger/money.ts"
import type { UsageGroup, UsageSum } from "../store/requests.ts"
import type { Reports } from "../store/reports.ts"
import type { Store } from "../store/store.ts"
import { type Actor, COMMAND_LINE, scopeOf } from "./actor.ts"
import { CachedQuery } from "./cached-query.ts"
import { withCorrections } from "./corrected-reports.ts"
import { emptySum, namesOfGroups, usageRow } from "./usage-rows.ts"

const OVERVIEW_DAYS = 30
const OVERVIEW_HOURS = 24
/** Maximum rows in a list of the most expensive items. */
const MAX_TOP_ROWS = 10
/** Cache time of the 30-day totals, as a multiple of the query time. */
const CACHE_FACTOR = 10

/** Builds the first page of the console. */
export class Overviews {
  readonly #store: Store
  readonly #reports: Reports
  /** The cached page for operators. */
  readonly #all = new CachedQuery(() => this.#overviewOf(COMMAND_LINE, undefined), CACHE_FACTOR)

  constructor(store: Store, reports: Reports) {
    this.#store = store
    this.#reports = reports
  }

  /**
   * Returns the data of the overview page. Days and hours are in UTC.
   * @throws GatewayError `not_found`.
   */
  async overview(actor: Actor, account: string | undefined): Promise<Overview> {
    const accounts = scopeOf(actor, account)
    return accounts === undefined ? this.#all.get() : this.#overviewOf(actor, accounts)
  }

  async #overviewOf(actor: Actor, accounts: readonly string[] | undefined): Promise<Overview> {
    const now = Date.now()
    const today = Math.floor(now / DAY_MS) * DAY_MS
    const month = new Date(today).setUTCDate(1)
    const firstDay = today - (OVERVIEW_DAYS - 1) * DAY_MS
    const firstHour = Math.floor(now / HOUR_MS) * HOUR_MS - (OVERVIEW_HOURS - 1) * HOUR_MS
    const all = { accounts, to: now + 1 }
    const reports = await this.#reports.upToDate()
    const sums = withCorrections(reports, this.#store)
    const sum = (from: number, group: UsageGroup) => sums.sumUsage({ ...all, from }, group)
    const [balance, days, hours, models, keys, latencies] = await Promise.all([
      this.#balance(accounts),
      sum(Math.min(firstDay, month), "day"),
      sum(firstHour, "hour"),
      sum(firstDay, "model"),
      sum(firstDay, "key"),
      reports.latencies(accounts, today),
    ])
    const top = keys.slice(0, MAX_TOP_ROWS)
    const names = await namesOfGroups(this.#store, reports, top, "key")
    const ofToday = days.find(({ group }) => Number(group) === today)
    const ofMonth = days.filter(({ group }) => Number(group) >= month)
    return {
      balance: formatCredits(balance),
      spent_today: formatCredits(ofToday?.cost ?? 0n),
      spent_month: formatCredits(ofMonth.reduce((spent, { cost }) => spent + cost, 0n)),
      ...(actor.isOperator && {
        written_off_month: formatCredits(
          ofMonth.reduce((sum, { writtenOff }) => sum + writtenOff, 0n),
        ),
      }),
      requests_today: ofToday?.requests ?? 0,
      errors_today: ofToday?.errors ?? 0,
      p50_duration_ms: latencies.p50,
      p95_duration_ms: latencies.p95,
      days: everyTime(actor, days, { from: firstDay, step: DAY_MS, count: OVERVIEW_DAYS }),
      hours: everyTime(actor, hours, { from: firstHour, step: HOUR_MS, count: OVERVIEW_HOURS }),
      top_models: models
        .slice(0, MAX_TOP_ROWS)
        .map((sum) => usageRow(actor, sum, { group: "model" })),
      top_keys: top.map((sum) => usageRow(actor, sum, { group: "key", names })),
      is_incomplete: this.#reports.isBehind,
      at: new Date(now).toISOString(),
    }
  }

  async #balance(accounts: readonly string[] | undefined): Promise<bigint> {
    const found = await this.#store.accounts.list(accounts)
    return found.reduce((sum, { balance }) => sum + balance, 0n)
  }
}

interface Times {
  /** Start of the first interval in Unix milliseconds. */
  readonly from: number
  /** Length of an interval in milliseconds. */
  readonly step: number
  readonly count: number
}

/** Returns one row for each interval, including intervals without requests. */
function everyTime(
  actor: Actor,
  sums: readonly UsageSum[],
  { from, step, count }: Times,
): UsageRow[] {
  const byTime = new Map(sums.map((sum) => [Number(sum.group), sum]))
  return Array.from({ length: count }, (_, index) => {
    const at = from + index * step
    const sum = byTime.get(at) ?? emptySum(String(at))
    return usageRow(actor, sum, { group: "hour" })
  })
}
