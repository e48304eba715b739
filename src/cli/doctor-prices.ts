import type { Settings } from "../config/settings.ts"
import { priceView } from "../management/prices/price-view.ts"
import { dayOf, type PriceLists } from "../management/prices/stored-lists.ts"
import type { Check } from "../management/check.ts"
import { countWords } from "./price-lines.ts"

const DAY_MS = 24 * 60 * 60 * 1_000
/** Age in days at which prices count as old. Vendors change prices every few weeks. */
const OLD_DAYS = 60

/** Checks whether the known prices are recent, and whether newer prices are pending. */
export function checkPriceLists({ prices }: Settings, lists: PriceLists, now = Date.now()): Check {
  const name = "known prices"
  const day = dayOf(lists.facts)
  const { pending } = priceView(lists)
  if (lists.faults.length > 0) {
    const fix = "apply a list again: tollgate prices update --from FILE|URL"
    return { name, result: "warning", found: lists.faults.join("; "), fix }
  }
  if (pending !== null) {
    const { date, increased, decreased, added, removed } = pending
    const counts = countWords({ increased, decreased, added, removed })
    return {
      name,
      result: "warning",
      found: `of ${day}; those of ${date} are pending: ${counts}`,
      fix: "review them with 'tollgate prices diff', apply them with 'tollgate prices update'",
    }
  }
  const age = Math.floor((now - Date.parse(day)) / DAY_MS)
  if (age <= OLD_DAYS) return { name, result: "ok", found: `of ${day}` }
  return {
    name,
    result: "warning",
    found: `of ${day}, ${age} days old: vendors may charge more now`,
    fix:
      prices.refresh === undefined
        ? "set prices.refresh, apply a newer list with 'tollgate prices update --from FILE|URL', or upgrade"
        : `see the log for the reason why no newer list from ${prices.refresh} was applied`,
  }
}
