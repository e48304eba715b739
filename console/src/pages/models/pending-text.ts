import type { PriceListsDocument } from "tollgate-contract/prices.ts"
import { countText } from "../../format/numbers.ts"

type Counts = Pick<
  NonNullable<PriceListsDocument["pending"]>,
  "increased" | "decreased" | "added" | "removed"
>

/** Summarizes price changes: `12 increased, 3 added`. */
export function pendingText({ increased, decreased, added, removed }: Counts): string {
  const parts = [
    [increased, "increased"],
    [decreased, "decreased"],
    [added, "added"],
    [removed, "removed"],
  ] as const
  const named = parts.filter(([count]) => count > 0)
  if (named.length === 0) return "No price changes"
  return named.map(([count, word]) => `${countText(count)} ${word}`).join(", ")
}
