import type { PriceListsDocument } from "tollgate-contract/prices.ts"
import { countText } from "../../format/numbers.ts"
import { t } from "../../languages/text.ts"

type Counts = Pick<
  NonNullable<PriceListsDocument["pending"]>,
  "increased" | "decreased" | "added" | "removed"
>

/** Summarizes price changes: `12 increased, 3 added`. */
export function pendingText({ increased, decreased, added, removed }: Counts): string {
  const parts = [
    dearer > 0 ? t("{count} dearer", { count: countText(dearer) }) : "",
    cheaper > 0 ? t("{count} cheaper", { count: countText(cheaper) }) : "",
    added > 0 ? t("{count} new", { count: countText(added) }) : "",
    removed > 0 ? t("{count} gone", { count: countText(removed) }) : "",
  ].filter((part) => part !== "")
  return parts.length === 0 ? t("No price changes") : parts.join(", ")
}
