import type { PriceListsDocument } from "tollgate-contract/prices.ts"
import { joined } from "../../format/lists.ts"
import { countText } from "../../format/numbers.ts"
import { t } from "../../languages/text.ts"

type Counts = Pick<
  NonNullable<PriceListsDocument["pending"]>,
  "increased" | "decreased" | "added" | "removed"
>

/** Summarizes price changes: `12 increased, 3 added`. */
export function pendingText({ increased, decreased, added, removed }: Counts): string {
  const parts = [
    increased > 0 ? t("{count} increased", { count: countText(increased) }) : "",
    decreased > 0 ? t("{count} decreased", { count: countText(decreased) }) : "",
    added > 0 ? t("{count} added", { count: countText(added) }) : "",
    removed > 0 ? t("{count} removed", { count: countText(removed) }) : "",
  ].filter((part) => part !== "")
  return parts.length === 0 ? t("No price changes") : joined(parts)
}
