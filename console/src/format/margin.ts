import type { UsageRow } from "tollgate-contract/usage.ts"
import { nanos, nanosText } from "./credits.ts"

/**
 * Returns the exact difference between the charge and the cost before the multiplier; undefined if the user may not see
 * the cost.
 */
export function marginOf({
  cost,
  provider_cost: providerCost,
}: Pick<UsageRow, "cost" | "provider_cost">): string | undefined {
  return providerCost === undefined ? undefined : nanosText(nanos(cost) - nanos(providerCost))
}
