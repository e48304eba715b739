import { DAY_MS } from "#contract/durations.ts"
import type {
  UsageChange as UsageChangeDocument,
  UsageChanges,
  UsageChangesQuery,
} from "#contract/usage.ts"
import { formatCredits } from "../ledger/money.ts"
import type { Reports } from "../store/reports.ts"
import type { UsageFilter } from "../store/requests.ts"
import { costChange, type UsageChange } from "../store/usage-changes.ts"
import { isLabel } from "../store/usage-sums.ts"
import type { Actor } from "./actor.ts"
import { checkSpan, MAX_LABELLED_DAYS, usageFilterOf } from "./usage.ts"
import { momentText } from "./moment-text.ts"

const KINDS = ["key", "model", "user", "session", "tag"] as const
type Kind = (typeof KINDS)[number]
/** Maximum groups of one kind in a response. */
const MAX_CAUSES = 5
/** The total of two periods without requests. */
const UNCHANGED: UsageChange = {
  group: "",
  after: { cost: 0n, requests: 0 },
  before: { cost: 0n, requests: 0 },
}

type Cause = UsageChange & { readonly kind: Kind }

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
    const kinds = kindsOf(after, before)
    // Two of the groups may be excluded: the one without a name, and the one that the query selects.
    const [[total = UNCHANGED] = [], ...changes] = await reports.usageChanges(
      { after, before },
      ["all", ...kinds],
      MAX_CAUSES + 2,
    )
    const causes = kinds
      .flatMap((kind, index) => causesOf({ kind, changes: changes[index] ?? [] }, total, query))
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
      ...changeOf(total),
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

/**
 * Returns the groups that changed most in the direction of the total, except requests without a label and the group
 * that the query already selects.
 */
function causesOf(
  { kind, changes }: { readonly kind: Kind; readonly changes: readonly UsageChange[] },
  total: UsageChange,
  query: UsageChangesQuery,
): readonly Cause[] {
  const direction = signOf(costChange(total))
  return changes
    .filter((change) => direction !== 0 && signOf(costChange(change)) === direction)
    .filter(({ group }) => group !== "" && query[kind] !== group)
    .map((change) => ({ ...change, kind }))
    .toSorted(byChange)
    .slice(0, MAX_CAUSES)
}

function signOf(change: bigint): -1 | 0 | 1 {
  if (change === 0n) return 0
  return change > 0n ? 1 : -1
}

/** Sorts the largest change first, regardless of its direction. */
function byChange(left: UsageChange, right: UsageChange): number {
  const [more, less] = [sizeOf(costChange(right)), sizeOf(costChange(left))]
  if (more === less) return 0
  return more > less ? 1 : -1
}

function sizeOf(change: bigint): bigint {
  return change < 0n ? -change : change
}

function changeDocument(cause: Cause, names: ReadonlyMap<string, string>): UsageChangeDocument {
  const { kind, group } = cause
  const name = kind === "key" ? names.get(group) : undefined
  return { kind, group, ...(name !== undefined && { name }), ...changeOf(cause) }
}

function changeOf(change: UsageChange) {
  const { after, before } = change
  return {
    cost: formatCredits(after.cost),
    requests: after.requests,
    compared_cost: formatCredits(before.cost),
    compared_requests: before.requests,
    change: formatCredits(costChange(change)),
  }
}
