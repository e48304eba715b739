import type { UsageChange, UsageChanges, UsageChangesQuery } from "#contract/usage.ts"
import { formatCredits } from "../ledger/money.ts"
import type { Reports, RequestReports } from "../store/reports.ts"
import type { UsageFilter, UsageSum } from "../store/requests.ts"
import { isLabel } from "../store/usage-sums.ts"
import type { Actor } from "./actor.ts"
import { checkSpan, MAX_LABELLED_DAYS, usageFilterOf } from "./usage.ts"
import { emptySum } from "./usage-rows.ts"
import { momentText } from "./moment-text.ts"

const DAY_MS = 86_400_000
const KINDS = ["key", "model", "user", "session", "tag"] as const
type Kind = (typeof KINDS)[number]
/** Maximum groups of one kind that are compared, the most expensive ones of each period. */
const MAX_COMPARED = 10_000
/** Maximum groups of one kind in a response. */
const MAX_CAUSES = 5

/** The sums of two periods. */
interface Compared {
  readonly kind: Kind
  readonly group: string
  readonly after: UsageSum
  readonly before: UsageSum
}

/** Reports the causes of a change in spending. */
export class UsageChangeReports {
  readonly #reports: Reports

  constructor(reports: Reports) {
    this.#reports = reports
  }

  /**
   * Compares the spending of two periods.
   * @throws GatewayError `not_found`, `invalid_value`.
   */
  async report(actor: Actor, query: UsageChangesQuery): Promise<UsageChanges> {
    const after = usageFilterOf(actor, query)
    const before = { ...after, ...comparedSpan(after, query) }
    for (const filter of [after, before]) checkSpan(filter, { group: "key" })
    const reports = await this.#reports.upToDate()
    const [totalAfter, totalBefore, ...kinds] = await Promise.all([
      totalOf(reports, after),
      totalOf(reports, before),
      ...kindsOf(after, before).map((kind) => comparedGroups(reports, kind, after, before)),
    ])
    const change = totalAfter.cost - totalBefore.cost
    const causes = kinds
      .flatMap((groups) => causesOf(groups, change).filter(isInformative(query)))
      .toSorted(byChange)
    const names = await reports.keyNames(
      causes.flatMap(({ kind, group }) => (kind === "key" ? [group] : [])),
    )
    return {
      object: "usage_changes",
      from: momentText(after.from),
      to: momentText(after.to),
      compared_from: momentText(before.from),
      compared_to: momentText(before.to),
      ...changeOf(totalAfter, totalBefore),
      data: causes.map((cause) => changeDocument(cause, names)),
    }
  }
}

/** Returns the period to compare with: the requested one, or the preceding one. */
function comparedSpan(
  { from, to }: UsageFilter,
  query: UsageChangesQuery,
): Pick<UsageFilter, "from" | "to"> {
  const end = query.compared_to === undefined ? from : Date.parse(query.compared_to)
  const start =
    query.compared_from === undefined ? end - (to - from) : Date.parse(query.compared_from)
  return { from: Math.max(0, start), to: end }
}

/** Returns the kinds to compare. Long periods exclude labels, because no sums of labels are stored. */
function kindsOf(...filters: readonly UsageFilter[]): readonly Kind[] {
  const isLong = filters.some(({ from, to }) => to - from > MAX_LABELLED_DAYS * DAY_MS)
  return isLong ? KINDS.filter((kind) => !isLabel(kind)) : KINDS
}

async function totalOf(reports: RequestReports, filter: UsageFilter): Promise<UsageSum> {
  const [total] = await reports.sumUsage(filter, "all")
  return total ?? emptySum("")
}

async function comparedGroups(
  reports: RequestReports,
  kind: Kind,
  after: UsageFilter,
  before: UsageFilter,
): Promise<Compared[]> {
  const first = { order: "cost", count: MAX_COMPARED } as const
  const [sumsAfter, sumsBefore] = await Promise.all([
    reports.sumUsage(after, kind, first),
    reports.sumUsage(before, kind, first),
  ])
  const [ofAfter, ofBefore] = [byGroup(sumsAfter), byGroup(sumsBefore)]
  return [...new Set([...ofAfter.keys(), ...ofBefore.keys()])].map((group) => ({
    kind,
    group,
    after: ofAfter.get(group) ?? emptySum(group),
    before: ofBefore.get(group) ?? emptySum(group),
  }))
}

function byGroup(sums: readonly UsageSum[]): ReadonlyMap<string, UsageSum> {
  return new Map(sums.map((sum) => [sum.group, sum]))
}

/** Returns the groups that changed most in the direction of the total. */
function causesOf(groups: readonly Compared[], total: bigint): readonly Compared[] {
  return groups
    .filter((each) => (total > 0n ? costChange(each) > 0n : total < 0n && costChange(each) < 0n))
    .toSorted(byChange)
    .slice(0, MAX_CAUSES)
}

/** Excludes requests without a label, and groups that the query already selects. */
function isInformative(query: UsageChangesQuery): (cause: Compared) => boolean {
  return ({ kind, group }) => group !== "" && query[kind] !== group
}

function byChange(left: Compared, right: Compared): number {
  return Number(sizeOf(costChange(right)) - sizeOf(costChange(left)))
}

function costChange({ after, before }: Compared): bigint {
  return after.cost - before.cost
}

function sizeOf(change: bigint): bigint {
  return change < 0n ? -change : change
}

function changeDocument(cause: Compared, names: ReadonlyMap<string, string>): UsageChange {
  const { kind, group, after, before } = cause
  const name = kind === "key" ? names.get(group) : undefined
  return { kind, group, ...(name !== undefined && { name }), ...changeOf(after, before) }
}

function changeOf(after: UsageSum, before: UsageSum) {
  return {
    cost: formatCredits(after.cost),
    requests: after.requests,
    compared_cost: formatCredits(before.cost),
    compared_requests: before.requests,
    change: formatCredits(after.cost - before.cost),
  }
}
