import type { UsageFilter, UsageGroup } from "../requests.ts"
import { HOUR, HOURS_OF_DAY, isLabel, SUMS } from "../usage-sums.ts"
import { Conditions } from "./conditions.ts"
import { LABELLED_AT, labelledRequests } from "./label-conditions.ts"
import { SUM_NAMES, type SumName } from "./name-sums.ts"

/** A query whose rows are sums, or single requests in the form of such. */
export interface UsageSource {
  readonly text: string
  readonly values: readonly (string | bigint)[]
}

/** What the sums of a time are made of. @param byDay whether sums of whole days will do. */
export function usageSource(filter: UsageFilter, group: UsageGroup, byDay: boolean): UsageSource {
  if (isLabel(group) || (filter.labels?.length ?? 0) > 0) return labelledSource(filter, group)
  const kind = kindOf(filter, group)
  const reads = partsOf(filter, byDay)
    .filter(({ from, to }) => from < to)
    .map(({ unit, from, to }) => {
      const conditions = new Conditions()
      conditions.add("kind = ?", kind)
      conditions.add("hour >= ?", from)
      conditions.add("hour < ?", to)
      addNames(conditions, filter)
      const source =
        kind === undefined
          ? `SELECT * FROM usage_${unit}`
          : `SELECT hour, name AS ${kind}, ${SUMS.join(", ")} FROM usage_name_${unit}`
      return { text: `${source} ${conditions.where}`, values: conditions.values }
    })
  return {
    text: reads.map(({ text }) => text).join(" UNION ALL "),
    values: reads.flatMap(({ values }) => values),
  }
}

/** Every request is of one. There are few of them. */
const ANY_KIND = "endpoint"

/** Whose own sums know all that is asked for; undefined: none do. */
function kindOf(filter: UsageFilter, group: UsageGroup): SumName | undefined {
  const { accounts, key, model, provider, endpoint, outcome } = filter
  if (accounts !== undefined || (key ?? model ?? provider ?? endpoint ?? outcome) !== undefined) {
    return undefined
  }
  return SUM_NAMES.find((name) => name === group) ?? ANY_KIND
}

interface Part {
  /** The tables have it in their names. */
  readonly unit: "days" | "hours"
  readonly from: number
  readonly to: number
}

/** Whole days are read from their own sums, what is left at both ends by the hour. */
function partsOf(filter: UsageFilter, byDay: boolean): Part[] {
  const from = Math.floor(filter.from / HOUR)
  const to = Math.ceil(filter.to / HOUR)
  const firstDay = Math.ceil(from / HOURS_OF_DAY) * HOURS_OF_DAY
  const lastDay = Math.floor(to / HOURS_OF_DAY) * HOURS_OF_DAY
  if (!byDay || firstDay >= lastDay) return [{ unit: "hours", from, to }]
  return [
    { unit: "hours", from, to: firstDay },
    { unit: "days", from: firstDay, to: lastDay },
    { unit: "hours", from: lastDay, to },
  ]
}

function addNames(conditions: Conditions, filter: UsageFilter): void {
  conditions.among("account", filter.accounts)
  conditions.add("key = ?", filter.key)
  conditions.add("model = ?", filter.model)
  conditions.add("provider = ?", filter.provider)
  conditions.add("endpoint = ?", filter.endpoint)
  conditions.add("outcome = ?", filter.outcome)
}

/** No sums are kept of labels, of which there may be as many as requests: these are the requests themselves. */
function labelledSource(filter: UsageFilter, group: UsageGroup): UsageSource {
  const conditions = new Conditions()
  const source = labelledRequests(conditions, filter.labels, isLabel(group) ? group : undefined)
  conditions.add(`${LABELLED_AT} >= ?`, Math.floor(filter.from / HOUR) * HOUR)
  conditions.add(`${LABELLED_AT} < ?`, Math.ceil(filter.to / HOUR) * HOUR)
  addNames(conditions, filter)
  return {
    text: `SELECT at / ${HOUR} AS hour, account, key, model, coalesce(provider, '') AS provider, outcome, endpoint,
      label.value AS label_value, 1 AS requests, failed AS errors, input, output, cost, written_off, provider_cost,
      status = 'settled' AND duration IS NOT NULL AS durations,
      iif(status = 'settled', coalesce(duration, 0), 0) AS duration,
      status = 'settled' AND first_byte IS NOT NULL AS first_bytes,
      iif(status = 'settled', coalesce(first_byte, 0), 0) AS first_byte
      FROM ${source} ${conditions.where}`,
    values: conditions.values,
  }
}
