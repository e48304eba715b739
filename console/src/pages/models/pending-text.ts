import type { PriceListsDocument } from "tollgate-contract/prices.ts"
import { countText } from "../../format/numbers.ts"

type Counts = Pick<
  NonNullable<PriceListsDocument["pending"]>,
  "dearer" | "cheaper" | "added" | "removed"
>

/** Summarizes price changes: `12 dearer, 3 new`. */
export function pendingText({ dearer, cheaper, added, removed }: Counts): string {
  const parts = [
    [dearer, "dearer"],
    [cheaper, "cheaper"],
    [added, "new"],
    [removed, "gone"],
  ] as const
  const named = parts.filter(([count]) => count > 0)
  if (named.length === 0) return "No price changes"
  return named.map(([count, word]) => `${countText(count)} ${word}`).join(", ")
}
