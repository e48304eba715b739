import type { Overview, UsageQuery, UsageRow } from "tollgate-contract/usage.ts"
import { GatewayError } from "../canon/errors.ts"
import { formatCredits } from "../ledger/money.ts"
import type { UsageGroup, UsageSum } from "../store/requests.ts"
import type { Reports, RequestReports } from "../store/reports.ts"
import type { Store } from "../store/store.ts"
import type { Actor } from "./actor.ts"
import { scopeOf } from "./scope.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The most hours in one report; longer periods are requested by the day. */
const MAX_HOURS = 24 * 93
/** Days in one answer. */
const MAX_DAYS = 366 * 5

const OVERVIEW_DAYS = 30
const OVERVIEW_HOURS = 24
/** The rows of a list of the dearest. */
const TOP = 10

/** Sums of usage and cost. */
export class UsageReports {
  readonly #store: Store
  readonly #reports: Reports

  constructor(store: Store, reports: Reports) {
    this.#store = store
    this.#reports = reports
  }

  /**
   * Sums over a period, for one account or for all that the actor may see. Hours that are partly in the period
   * count in full.
   * @throws GatewayError `not_found`, `invalid_value`.
   */
  async usage(actor: Actor, query: UsageQuery): Promise<{ object: "list"; data: UsageRow[] }> {
    const { key, model, group } = query
    const span = { from: Date.parse(query.from), to: Date.parse(query.to) }
    checkSpan(span.from, span.to, group)
    const accounts = scopeOf(actor, query.account)
    const reports = await this.#reports.upToDate()
    const sums = await reports.sumUsage({ accounts, key, model, ...span }, group)
    return { object: "list", data: await this.#named(actor, reports, sums, group) }
  }

  /** The overview page. Days and hours are those of UTC. @throws GatewayError `not_found`. */
  async overview(actor: Actor, account: string | undefined): Promise<Overview> {
    const accounts = scopeOf(actor, account)
    const now = Date.now()
    const today = Math.floor(now / DAY) * DAY
    const month = new Date(today).setUTCDate(1)
    const firstDay = today - (OVERVIEW_DAYS - 1) * DAY
    const firstHour = Math.floor(now / HOUR) * HOUR - (OVERVIEW_HOURS - 1) * HOUR
    const all = { accounts, to: now + 1 }
    const reports = await this.#reports.upToDate()
    const sum = (from: number, group: UsageGroup) => reports.sumUsage({ ...all, from }, group)
    const [balance, days, hours, models, keys, latencies] = await Promise.all([
      this.#balance(accounts),
      sum(Math.min(firstDay, month), "day"),
      sum(firstHour, "hour"),
      sum(firstDay, "model"),
      sum(firstDay, "key"),
      reports.latencies(accounts, today),
    ])
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
      days: everyTime(actor, days, { from: firstDay, step: DAY, count: OVERVIEW_DAYS }),
      hours: everyTime(actor, hours, { from: firstHour, step: HOUR, count: OVERVIEW_HOURS }),
      top_models: models.slice(0, TOP).map((row) => rowDocument(actor, row)),
      top_keys: await this.#named(actor, reports, keys.slice(0, TOP), "key"),
      at: new Date(now).toISOString(),
    }
  }

  async #balance(accounts: readonly string[] | undefined): Promise<bigint> {
    const all = await this.#store.accounts.list()
    return all
      .filter(({ id }) => accounts?.includes(id) ?? true)
      .reduce((sum, { balance }) => sum + balance, 0n)
  }

  /** The rows of a group; keys and accounts with the names that people gave them. */
  async #named(
    actor: Actor,
    reports: RequestReports,
    sums: readonly UsageSum[],
    group: UsageGroup,
  ): Promise<UsageRow[]> {
    if (group === "hour" || group === "day") return sums.map((sum) => timeDocument(actor, sum))
    const names = await this.#names(reports, sums, group)
    return sums.map((sum) => rowDocument(actor, sum, names?.get(sum.group)))
  }

  async #names(
    reports: RequestReports,
    sums: readonly UsageSum[],
    group: UsageGroup,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    if (group === "key") return reports.keyNames(sums.map((sum) => sum.group))
    if (group !== "account") return undefined
    const accounts = await this.#store.accounts.list()
    return new Map(accounts.map(({ id, name }) => [id, name]))
  }
}

function checkSpan(from: number, to: number, group: UsageGroup): void {
  if (from > to) {
    throw new GatewayError("invalid_value", "'to' must not be before 'from'.", { parameter: "to" })
  }
  const max = group === "hour" ? MAX_HOURS * HOUR : MAX_DAYS * DAY
  if (to - from <= max) return
  const words =
    group === "hour"
      ? `At most ${MAX_HOURS / 24} days are available by the hour. Ask by the day, or for a shorter time.`
      : `At most ${MAX_DAYS} days are available at once. Ask for a shorter time.`
  throw new GatewayError("invalid_value", words, { parameter: "from" })
}

interface Times {
  /** The first of them. */
  readonly from: number
  /** Milliseconds from one to the next. */
  readonly step: number
  readonly count: number
}

/** A row for each interval, also for those without requests. */
function everyTime(
  actor: Actor,
  sums: readonly UsageSum[],
  { from, step, count }: Times,
): UsageRow[] {
  const byTime = new Map(sums.map((sum) => [Number(sum.group), sum]))
  return Array.from({ length: count }, (_, index) => {
    const at = from + index * step
    return timeDocument(actor, byTime.get(at) ?? emptySum(at))
  })
}

function emptySum(at: number): UsageSum {
  const nothing = { requests: 0, errors: 0, input: 0, output: 0, cost: 0n, writtenOff: 0n }
  return { group: String(at), ...nothing, meanDuration: null, meanFirstByte: null }
}

function timeDocument(actor: Actor, sum: UsageSum): UsageRow {
  return { ...rowDocument(actor, sum), group: new Date(Number(sum.group)).toISOString() }
}

function rowDocument(actor: Actor, sum: UsageSum, name?: string): UsageRow {
  return {
    group: sum.group,
    ...(name !== undefined && { name }),
    requests: sum.requests,
    errors: sum.errors,
    input: sum.input,
    output: sum.output,
    cost: formatCredits(sum.cost),
    ...(actor.isOperator && { written_off: formatCredits(sum.writtenOff) }),
    mean_duration_ms: sum.meanDuration,
    mean_first_byte_ms: sum.meanFirstByte,
  }
}
