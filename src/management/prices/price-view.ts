import type { PriceChangeDocument, PriceListsDocument } from "#contract/prices.ts"
import { type PriceChange, priceChanges } from "../../catalog/prices/changes.ts"
import { BUILT_IN, dayOf, type PriceLists } from "./stored-lists.ts"

/** Counts price changes by kind. */
export function countsOf(changes: readonly PriceChange[]): Record<PriceChange["kind"], number> {
  const count = (kind: PriceChange["kind"]): number =>
    changes.filter((change) => change.kind === kind).length
  return {
    increased: count("increased"),
    decreased: count("decreased"),
    added: count("added"),
    removed: count("removed"),
  }
}

/** Converts changes to documents, one for each price. */
export function changeDocuments(changes: readonly PriceChange[]): PriceChangeDocument[] {
  return changes.map(({ vendor, model, kind, parts }) => ({
    vendor,
    model,
    change: kind,
    parts: parts.map((part) => ({ ...part })),
  }))
}

/** Converts the price lists to the form that operators see. A pending list without remaining changes is omitted. */
export function priceView({ facts, kept, pending }: PriceLists): PriceListsDocument {
  const changes = pending === undefined ? [] : priceChanges(facts, pending.facts)
  return {
    date: dayOf(facts),
    source: kept?.source ?? "built in",
    since: kept === undefined ? null : new Date(kept.at).toISOString(),
    built_in: dayOf(BUILT_IN.facts),
    pending:
      pending === undefined || changes.length === 0
        ? null
        : {
            date: dayOf(pending.facts),
            source: pending.source,
            found_at: new Date(pending.at).toISOString(),
            ...countsOf(changes),
            changes: changeDocuments(changes),
          },
  }
}
