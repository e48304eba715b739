import { isLong, isOfSegments } from "../columns/usage-of-segments.ts"
import type { UsageFilter, UsageGroup } from "../requests.ts"
import { changesOf, type UsageChange, type UsageComparison } from "../usage-changes.ts"
import type { Statements } from "./client.ts"
import { sumUsage } from "./requests-usage.ts"
import type { SegmentMethods } from "./segments-on-demand.ts"

interface UsageParts {
  readonly client: Statements
  readonly segmentUsage: () => Promise<SegmentMethods["usage"]>
}

/**
 * Implements `RequestReports.usageChanges`. All groups are read from segments at once if segments contain both periods.
 * Otherwise, only labels are read from segments, and all other groups are read from hourly sums.
 */
export async function usageChanges(
  { client, segmentUsage }: UsageParts,
  comparison: UsageComparison,
  groups: readonly UsageGroup[],
  count: number,
): Promise<UsageChange[][]> {
  const { after, before } = comparison
  const labels = groups.filter((group) => isOfSegments(after, group))
  const isFast = labels.length > 0 || isLong(after) || isLong(before)
  const usage = isFast ? await segmentUsage() : undefined
  const from = Math.min(after.from, before.from)
  const together = (await usage?.covers({ ...after, from })) === true ? groups : labels
  const sums = (filter: UsageFilter, group: UsageGroup) => sumUsage(client, filter, group)
  const [found = [], ...others] = await Promise.all([
    together.length > 0 ? usage?.usageChanges(comparison, together, count) : [],
    ...groups.map(async (group) =>
      together.includes(group)
        ? []
        : changesOf(await sums(after, group), await sums(before, group), count),
    ),
  ])
  return groups.map((group, index) => found[together.indexOf(group)] ?? others[index] ?? [])
}
