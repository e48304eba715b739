import type { CostCorrection } from "../store/reconciliations.ts"
import type { RequestReports } from "../store/reports.ts"
import { FILTER_NAMES } from "../store/request-names.ts"
import type { UsageFilter, UsageGroup, UsagePoint, UsageSum } from "../store/requests.ts"
import type { Store } from "../store/store.ts"
import { emptySum, isTime } from "./usage-rows.ts"

export type UsageSums = Pick<RequestReports, "sumUsage" | "usageSeries">

/**
 * Adds the corrections of reconciliations to the provider cost in reports, at the start of their day. A correction
 * belongs to a provider, but not to an account, key or model. Reports on these therefore contain no corrections.
 */
export function withCorrections(
  reports: RequestReports,
  store: Pick<Store, "reconciliations">,
): UsageSums {
  return {
    sumUsage: async (filter, group, first) => {
      const sums = await reports.sumUsage(filter, group, first)
      return addToSums(sums, await correctionsOf(store, filter, group), group)
    },
    usageSeries: async (filter, series) => {
      const points = await reports.usageSeries(filter, series)
      const corrections = await correctionsOf(store, filter, series.group)
      const name = ({ provider }: CostCorrection) =>
        series.names.includes(provider) ? provider : ""
      return addToPoints(points, corrections, name)
    },
  }
}

const GROUPS: ReadonlySet<UsageGroup> = new Set<UsageGroup>(["all", "hour", "day", "provider"])

async function correctionsOf(
  { reconciliations }: Pick<Store, "reconciliations">,
  filter: UsageFilter,
  group: UsageGroup,
): Promise<readonly CostCorrection[]> {
  const { accounts, labels = [], provider } = filter
  const isWhole =
    accounts === undefined &&
    labels.length === 0 &&
    FILTER_NAMES.every((name) => name === "provider" || filter[name] === undefined)
  if (!isWhole || !GROUPS.has(group) || filter.from >= filter.to) return []
  const found = await reconciliations.listCorrections({ from: filter.from, until: filter.to })
  return provider === undefined ? found : found.filter((one) => one.provider === provider)
}

function addToSums(
  sums: UsageSum[],
  corrections: readonly CostCorrection[],
  group: UsageGroup,
): UsageSum[] {
  if (corrections.length === 0) return sums
  const nameOf = ({ day, provider }: CostCorrection) =>
    isTime(group) ? String(day) : group === "provider" ? provider : (sums[0]?.group ?? "")
  const byName = new Map(sums.map((sum) => [sum.group, sum]))
  for (const correction of corrections) {
    const name = nameOf(correction)
    const sum = byName.get(name) ?? emptySum(name)
    byName.set(name, { ...sum, providerCost: sum.providerCost + correction.amount })
  }
  const added = [...byName.values()]
  return isTime(group)
    ? added.toSorted((left, right) => Number(left.group) - Number(right.group))
    : added
}

function addToPoints(
  points: UsagePoint[],
  corrections: readonly CostCorrection[],
  nameOf: (correction: CostCorrection) => string,
): UsagePoint[] {
  if (corrections.length === 0) return points
  const byPlace = new Map(points.map((point) => [`${point.at} ${point.group}`, point]))
  for (const correction of corrections) {
    const group = nameOf(correction)
    const place = `${correction.day} ${group}`
    const point = byPlace.get(place) ?? { ...emptySum(group), at: correction.day }
    byPlace.set(place, { ...point, providerCost: point.providerCost + correction.amount })
  }
  return [...byPlace.values()].toSorted((left, right) => left.at - right.at)
}
