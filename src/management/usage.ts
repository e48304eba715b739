import { DAY_MS, HOUR_MS } from "#contract/durations.ts"
import type { Usage, UsageChangesQuery, UsageQuery, UsageRow } from "#contract/usage.ts"
import type { Label } from "../accounting/labels.ts"
import { GatewayError } from "../canon/errors.ts"
import { FILTER_NAMES, type NameFilter } from "../store/request-names.ts"
import type { UsageFilter, UsageSum, UsageTime } from "../store/requests.ts"
import type { Reports, RequestReports } from "../store/reports.ts"
import type { Store } from "../store/store.ts"
import { isLabel } from "../store/usage-sums.ts"
import { type Actor, scopeOf } from "./actor.ts"
import { ResponseTimes } from "./response-times.ts"
import { type UsageSums, withCorrections } from "./corrected-reports.ts"
import { requireProviderVisibility } from "./cost-visibility.ts"
import { emptySum, isTime, namesOfGroups, usageRow } from "./usage-rows.ts"

/** Maximum hours in one report. For longer periods, days must be requested. */
const MAX_HOURS = 24 * 93
/** Maximum days in one response. */
const MAX_DAYS = 366 * 5
/** Maximum days in reports on users, sessions and tags. No sums of these are stored, so all requests are read. */
export const MAX_LABELLED_DAYS = 93
/** Maximum groups in one response. */
const MAX_GROUPS = 1_000

/** Reports sums of usage and cost. */
export class UsageReports {
  readonly #store: Store
  readonly #reports: Reports

  constructor(store: Store, reports: Reports) {
    this.#store = store
    this.#reports = reports
  }

  /**
   * Returns sums over a period, for one account or for all visible accounts. Hours that are partly in the period are
   * fully included.
   * @throws GatewayError `not_found`, `invalid_value`; `forbidden` for providers if the actor does not see them.
   */
  async usage(actor: Actor, query: UsageQuery): Promise<Usage> {
    const filter = usageFilterOf(actor, query)
    checkSpan(filter, query)
    const { group } = query
    const reports = await this.#reports.upToDate()
    const sums = withCorrections(reports, this.#store)
    const found = await groupsOf(sums, filter, query)
    const groups = found.map((sum) => sum.group)
    const [total, before, sample] = await Promise.all([
      totalOf(sums, filter),
      query.before === "true" ? this.#before(actor, { reports, sums }, filter, query) : undefined,
      query.times === "true" ? reports.sampleResponses(filter, group, groups) : undefined,
    ])
    const times = sample && new ResponseTimes(sample, groups)
    const names = await namesOfGroups(this.#store, reports, found, group)
    const row = (sum: UsageSum, of = times?.ofGroup(sum.group)): UsageRow =>
      usageRow(actor, sum, { group, names, times: of })
    return {
      object: "list",
      data: found.map((sum) => row(sum)),
      total: usageRow(actor, total, { group: "all", times: times?.ofAll() }),
      ...(query.series && {
        series: await this.#series(sums, filter, {
          step: query.series,
          count: query.series_groups,
          times,
          row,
          group,
          found,
        }),
      }),
      ...(before && { before }),
      ...(sample && { sampled: !sample.isComplete }),
    }
  }

  /** Returns the sums over the preceding period of equal length. */
  async #before(
    actor: Actor,
    { reports, sums }: { readonly reports: RequestReports; readonly sums: UsageSums },
    { from, to, ...filter }: UsageFilter,
    query: UsageQuery,
  ): Promise<NonNullable<Usage["before"]>> {
    const earlier = { ...filter, from: Math.max(0, 2 * from - to), to: from }
    const [found, total] = await Promise.all([
      groupsOf(sums, earlier, query),
      totalOf(sums, earlier),
    ])
    const { group } = query
    const names = await namesOfGroups(this.#store, reports, found, group)
    return {
      data: found.map((sum) => usageRow(actor, sum, { group, names })),
      total: usageRow(actor, total, { group: "all" }),
    }
  }

  async #series(
    sums: UsageSums,
    filter: UsageFilter,
    { step, count, times, row, group, found }: SeriesParts,
  ): Promise<NonNullable<Usage["series"]>> {
    const isWhole = isTime(group)
    const names = isWhole ? [] : found.slice(0, count).map((sum) => sum.group)
    const points = await sums.usageSeries(filter, {
      group: isWhole ? "all" : group,
      names,
      step,
    })
    return points.map((point) => ({
      ...row(point, times?.at({ ...point, step, names })),
      group: point.group,
      at: new Date(point.at).toISOString(),
    }))
  }
}

interface SeriesParts {
  readonly step: UsageTime
  /** Number of groups with separate sums. */
  readonly count: number
  readonly times: ResponseTimes | undefined
  readonly row: (sum: UsageSum, times: ReturnType<ResponseTimes["ofAll"]> | undefined) => UsageRow
  readonly group: UsageQuery["group"]
  readonly found: readonly UsageSum[]
}

function groupsOf(
  reports: UsageSums,
  filter: UsageFilter,
  { group, order }: UsageQuery,
): Promise<UsageSum[]> {
  return reports.sumUsage(filter, group, { order, count: MAX_GROUPS })
}

async function totalOf(reports: UsageSums, filter: UsageFilter): Promise<UsageSum> {
  const [total] = await reports.sumUsage(filter, "all")
  return total ?? emptySum("")
}

/** Builds the filter for sums of those accounts that the actor may see. @throws GatewayError `not_found`. */
export function usageFilterOf(
  actor: Actor,
  query: Omit<UsageChangesQuery, "compared_from" | "compared_to"> &
    Partial<Pick<UsageQuery, "group">>,
): UsageFilter {
  requireProviderVisibility(actor, query.provider && "provider")
  requireProviderVisibility(actor, query.group === "provider" ? "group" : undefined)
  const span = { from: Date.parse(query.from), to: Date.parse(query.to) }
  const labels = labelsOf(query)
  const accounts = scopeOf(actor, query.account)
  const names: NameFilter = Object.fromEntries(FILTER_NAMES.map((name) => [name, query[name]]))
  return { accounts, ...names, labels, ...span }
}

/** Returns the labels in a query. */
export function labelsOf(query: Partial<Record<Label["name"], string | undefined>>): Label[] {
  return (["user", "session", "tag"] as const).flatMap((name) => {
    const value = query[name]
    return value === undefined ? [] : [{ name, value }]
  })
}

/** @throws GatewayError `invalid_value` if a report would cover too much time. */
export function checkSpan(
  { from, to, labels = [] }: UsageFilter,
  { group, series }: Pick<UsageQuery, "group" | "series">,
): void {
  if (from > to) {
    throw new GatewayError("invalid_value", "'to' must not be before 'from'.", { parameter: "to" })
  }
  const length = to - from
  if (length > MAX_HOURS * HOUR_MS && (group === "hour" || series === "hour")) {
    throw tooLong(`${MAX_HOURS / 24} days are available by the hour. Group by day, or request a`)
  }
  if (length > MAX_LABELLED_DAYS * DAY_MS && (isLabel(group) || labels.length > 0)) {
    throw tooLong(`${MAX_LABELLED_DAYS} days are available for users, sessions and tags. Request a`)
  }
  if (length > MAX_DAYS * DAY_MS) throw tooLong(`${MAX_DAYS} days are available at once. Request a`)
}

function tooLong(words: string): GatewayError {
  return new GatewayError("invalid_value", `At most ${words} shorter time.`, { parameter: "from" })
}
