import type { ResponseTimesDocument, UsageRow } from "#contract/usage.ts"
import { formatCredits } from "../ledger/money.ts"
import type { UsageGroup, UsageSum, UsageTime } from "../store/requests.ts"
import type { RequestReports } from "../store/reports.ts"
import type { Store } from "../store/store.ts"
import { accountNames } from "./stored-accounts.ts"
import type { Actor } from "./actor.ts"

/** Names of the reported objects, by id. */
type RowNames = ReadonlyMap<string, string>

interface RowParts {
  readonly group: UsageGroup
  readonly names?: RowNames | undefined
  readonly times?: ResponseTimesDocument | undefined
}

export function isTime(group: UsageGroup): group is UsageTime {
  return group === "hour" || group === "day"
}

/** Converts a group to its representation in the API. Only operators see the operator's costs. */
export function usageRow(actor: Actor, sum: UsageSum, { group, names, times }: RowParts): UsageRow {
  const name = names?.get(sum.group)
  return {
    group: isTime(group) ? new Date(Number(sum.group)).toISOString() : sum.group,
    ...(name !== undefined && { name }),
    requests: sum.requests,
    errors: sum.errors,
    input: sum.input,
    output: sum.output,
    cost: formatCredits(sum.cost),
    ...(actor.isOperator && {
      written_off: formatCredits(sum.writtenOff),
      provider_cost: formatCredits(sum.providerCost),
    }),
    mean_duration_ms: sum.meanDuration,
    mean_first_byte_ms: sum.meanFirstByte,
    ...(times && { times }),
  }
}

export function emptySum(group: string): UsageSum {
  const nothing = { requests: 0, errors: 0, input: 0, output: 0 }
  const costs = { cost: 0n, writtenOff: 0n, providerCost: 0n }
  return { group, ...nothing, ...costs, meanDuration: null, meanFirstByte: null }
}

/** Returns the names of keys and accounts; undefined for other groups. */
export async function namesOfGroups(
  store: Store,
  reports: RequestReports,
  sums: readonly UsageSum[],
  group: UsageGroup,
): Promise<RowNames | undefined> {
  if (group === "key") return reports.keyNames(sums.map((sum) => sum.group))
  if (group !== "account") return undefined
  return accountNames(
    store,
    sums.map((sum) => sum.group),
  )
}
