import type { UsageFilter, UsageSum } from "./requests.ts"

/** Two periods with the same filter. */
export interface UsageComparison {
  readonly after: UsageFilter
  readonly before: UsageFilter
}

/** The sums of one group in a period. */
export interface PeriodSum {
  /** The charged amount in nanocredits. */
  readonly cost: bigint
  readonly requests: number
}

/** The sums of one group in two periods. */
export interface UsageChange {
  readonly group: string
  readonly after: PeriodSum
  readonly before: PeriodSum
}

/** The sums of one group, from which changes are computed. */
export type GroupCost = Pick<UsageSum, "group" | "cost" | "requests">

const NOTHING: PeriodSum = { cost: 0n, requests: 0 }

/** Implements `RequestReports.usageChanges` from the sums of all groups in each period. */
export function changesOf(
  after: readonly GroupCost[],
  before: readonly GroupCost[],
  count: number,
): UsageChange[] {
  const [ofAfter, ofBefore] = [byGroup(after), byGroup(before)]
  const changes = [...new Set([...ofAfter.keys(), ...ofBefore.keys()])]
    .map((group) => ({
      group,
      after: ofAfter.get(group) ?? NOTHING,
      before: ofBefore.get(group) ?? NOTHING,
    }))
    .toSorted(compareChanges)
  return changes.length <= 2 * count
    ? changes
    : [...changes.slice(0, count), ...changes.slice(-count)]
}

function byGroup(sums: readonly GroupCost[]): ReadonlyMap<string, PeriodSum> {
  return new Map(sums.map(({ group, cost, requests }) => [group, { cost, requests }]))
}

/** Sorts the largest increase first and the largest decrease last. */
export function compareChanges(left: UsageChange, right: UsageChange): number {
  const [more, less] = [costChange(right), costChange(left)]
  if (more === less) return left.group < right.group ? -1 : 1
  return more > less ? 1 : -1
}

/** Returns the change of the cost in nanocredits. */
export function costChange({ after, before }: UsageChange): bigint {
  return after.cost - before.cost
}
