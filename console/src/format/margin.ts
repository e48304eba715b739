import type { UsageRow } from "tollgate-contract/usage.ts"
import { nanos, nanosText } from "./credits.ts"

/** What was charged beyond what it cost before the multiplier, exactly; undefined for who is not told. */
export function marginOf({
  cost,
  provider_cost: providerCost,
}: Pick<UsageRow, "cost" | "provider_cost">): string | undefined {
  return providerCost === undefined ? undefined : nanosText(nanos(cost) - nanos(providerCost))
}
